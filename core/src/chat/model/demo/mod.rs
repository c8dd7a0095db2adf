//! The demo model: no network and no model.

use super::{Delta, Prompt};

/// What people call it, and what its text begins with.
pub const LABEL: &str = "Demo model";

/// A turn.
pub fn turn(prompt: &Prompt, _entropy: [u8; 16]) -> Vec<Delta> {
    vec![Delta::Text(format!("{LABEL}: {}", prompt.messages.len())), Delta::Finished]
}
