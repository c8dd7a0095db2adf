//! Bugs planted on purpose, at the boundaries of the queue, to prove that the checks find them.

use crate::world::World;

/// Which one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bug {
    /// Storage puts a write whose outcome is unknown back into the queue.
    RetriesAWrite,
    /// The answer to an accept says yes to whoever asks.
    AcceptsAStaleClaim,
    /// The shell drops an answer to a held request.
    LosesAWaiter,
    /// The deliverer sends a write although it was told that it may not.
    SendsWithoutLeave,
    /// Storage puts a write back into the queue whose delivery gave no valid reply.
    RequeuesALostReply,
    /// The deliverer reports as refused what it sent.
    RefusesWhatItSent,
    /// One approval lets another parked call go, too.
    ApprovesATwin,
    /// What an approver edited is not what is sent, and nobody has checked it.
    SendsAnUncheckedEdit,
    /// The end of a call that waits for several people moves with the first decision.
    PutsOffTheEnd,
    /// The registry's storage drops what was gathered when it writes that a message is out.
    DropsWhatComesMeanwhile,
    /// The pool is told that its batch is taken, and the registry's transaction is undone.
    TellsBeforeItIsStored,
    /// The registry takes nothing from the pool while a message is under way.
    NoticesHoldUpTheOutbox,
    /// The shell of the registry does not set an alarm that a step asked for.
    ForgetsItsAlarm,
    /// A message that is sent again is not what it was.
    RepeatsOtherWords,
    /// The edge reports where a message was sent to.
    SaysWhereTo,
}

/// What three seeds say of a bug, each within this many steps: as many violations as there are that found it.
pub fn found(bug: Bug) -> Vec<String> {
    (1..=3).filter_map(|seed| World::new(seed, Some(bug)).run(60_000).err()).collect()
}
