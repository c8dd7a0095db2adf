//! The contract: a closed vocabulary of field types, checked arguments, canonical text, versions.

mod arguments;
mod definition;
mod types;

pub use arguments::{check_arguments, read_arguments};
pub use definition::{DefinitionFault, approval_hash, check_context, check_tool, contract_hash, version};
pub use types::{BaseType, FieldType};
