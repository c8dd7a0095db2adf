//! The contract: a closed vocabulary of field types, checked arguments, canonical text, versions, and the form in which
//! each provider reads it.

mod arguments;
mod definition;
pub mod schema;
mod types;

pub use arguments::{check_arguments, read_arguments};
pub use definition::{DefinitionFault, approval_hash, check_context, check_tool, contract_hash, version};
pub use types::{BaseType, FieldType};
