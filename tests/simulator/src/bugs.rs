//! Bugs planted on purpose, at the boundaries of the queue, to prove that the checks find them.

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
}
