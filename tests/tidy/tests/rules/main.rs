//! The rules, one file per kind. A new rule says in its message why it is there; the place to argue with it is
//! the change that edits it.

mod imports;
mod lockstep;
mod panics;
mod pins;
mod places;
mod problems;
mod sizes;
mod tests_run;
