//! What the vectors cannot show: values, stores, texts.
