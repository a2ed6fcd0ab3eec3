//! Writes the C header of the library beside it to standard output, from its sources.

use std::error::Error;
use std::path::Path;

fn main() -> Result<(), Box<dyn Error>> {
    let library = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let config = cbindgen::Config::from_file(library.join("cbindgen.toml"))?;
    // From its root file on, so that no metadata of any dependency is asked for.
    let builder = cbindgen::Builder::new().with_config(config).with_src(library.join("src/lib.rs"));
    builder.generate()?.write(std::io::stdout());
    Ok(())
}
