//! What a case means: its fields, and the crate's answer to it. `alloc` only, so that any host can run it.

mod authorize;
mod explain;
mod fields;
mod flow;
mod formats;
mod grants;
pub mod json;
#[cfg(feature = "routes")]
mod routes;
#[cfg(feature = "issue")]
mod signing;

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;
use fields::Fields;
use json::{Json, quote};

/// A line that is no case, and why.
#[derive(Debug)]
pub struct NoCase(String);

impl fmt::Display for NoCase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// One case.
pub struct Case<'l> {
    value: Json<'l>,
}

impl<'l> Case<'l> {
    /// Reads a line.
    pub fn read(line: &'l str) -> Result<Self, NoCase> {
        let case = Self { value: Json::read(line).map_err(|error| NoCase(String::from(error)))? };
        let fields = case.fields()?;
        fields.text("op")?;
        if fields.get("name").is_some() {
            fields.text("name")?;
        }
        Ok(case)
    }

    fn fields(&self) -> Result<Fields<'_>, NoCase> {
        Fields::of(&self.value, "case")
    }

    /// Its name, if it has one.
    pub fn name(&self) -> Option<&str> {
        self.value.get("name")?.text()
    }

    /// What its answer should be, if it says.
    pub fn expected(&self) -> Option<&Json<'l>> {
        self.value.get("expect")
    }

    /// The crate's answer.
    pub fn answer(&self) -> Result<Answer, NoCase> {
        let fields = self.fields()?;
        match fields.text("op")? {
            "canonical" => formats::canonical(&fields),
            "hash" => formats::hash(&fields),
            "proof" => formats::proof(&fields),
            "grant" => grants::answer(&fields),
            "authorize" => authorize::answer(&fields),
            "flow" => flow::answer(&fields),
            #[cfg(feature = "issue")]
            "key" => signing::key(&fields),
            #[cfg(feature = "issue")]
            "issue" => signing::issue(&fields),
            #[cfg(feature = "issue")]
            "delegate" => signing::delegate(&fields),
            #[cfg(feature = "issue")]
            "consent" => signing::consent(&fields),
            #[cfg(feature = "issue")]
            "sign_proof" => signing::sign_proof(&fields),
            #[cfg(not(feature = "issue"))]
            op @ ("key" | "issue" | "delegate" | "consent" | "sign_proof") => {
                Err(NoCase(alloc::format!("op {op} needs the feature `issue`")))
            }
            #[cfg(feature = "routes")]
            "deliver" => routes::deliver(&fields),
            #[cfg(feature = "routes")]
            "redeem" => routes::redeem(&fields),
            #[cfg(feature = "routes")]
            "posture" => routes::posture(&fields),
            #[cfg(not(feature = "routes"))]
            op @ ("deliver" | "redeem" | "posture") => {
                Err(NoCase(alloc::format!("op {op} needs the feature `routes`")))
            }
            op => Err(NoCase(alloc::format!("unknown op {op}"))),
        }
    }

    /// The decision in words, a line each.
    pub fn explain(&self) -> Result<Vec<String>, NoCase> {
        explain::lines(&self.fields()?)
    }
}

/// An answer: a JSON object, its members in the order in which they were added.
pub struct Answer(String);

impl Answer {
    fn new() -> Self {
        Self(String::from("{}"))
    }

    fn raw(mut self, name: &str, json: &str) -> Self {
        self.0.pop();
        if self.0.len() > 1 {
            self.0.push(',');
        }
        self.0.push_str(&quote(name));
        self.0.push(':');
        self.0.push_str(json);
        self.0.push('}');
        self
    }

    fn text_member(self, name: &str, text: &str) -> Self {
        self.raw(name, &quote(text))
    }

    fn ok(yes: bool) -> Self {
        Self::new().raw("ok", if yes { "true" } else { "false" })
    }

    fn refused(code: &str) -> Self {
        Self::ok(false).text_member("code", code)
    }

    /// The answer as one line of JSON.
    pub fn text(&self) -> &str {
        &self.0
    }

    /// Is it this value?
    pub fn is(&self, expected: &Json<'_>) -> bool {
        Json::read(&self.0).is_ok_and(|answer| answer == *expected)
    }
}
