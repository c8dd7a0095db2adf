//! Requests that are held until a later request, an alarm or their deadline answers them.

use std::cell::RefCell;
use std::collections::HashMap;
use std::time::Duration;

use futures_channel::oneshot;
use futures_util::future::{Either, select};
use toolgate_core::queue::memory::WaiterId;
use toolgate_core::queue::messages::Reply;
use toolgate_core::time::UnixMillis;
use worker::Delay;

use crate::clock::now;

/// The held requests of one object, by name.
#[derive(Default)]
pub struct Waiters {
    held: RefCell<HashMap<WaiterId, oneshot::Sender<Reply>>>,
}

impl Waiters {
    /// Must follow the step that named the waiter without an await between: answers find it from then on.
    pub fn hold(&self, name: WaiterId) -> oneshot::Receiver<Reply> {
        let (sender, receiver) = oneshot::channel();
        self.held.borrow_mut().insert(name, sender);
        receiver
    }

    /// Answers held requests; one that is gone needs no answer.
    pub fn answer(&self, answers: Vec<(WaiterId, Reply)>) {
        for (name, reply) in answers {
            if let Some(sender) = self.held.borrow_mut().remove(&name) {
                let _ = sender.send(reply);
            }
        }
    }

    /// The answer, or `None` at the deadline; the name is free afterwards.
    pub async fn wait(
        &self,
        name: WaiterId,
        receiver: oneshot::Receiver<Reply>,
        deadline: UnixMillis,
    ) -> Option<Reply> {
        let millis = deadline.0.saturating_sub(now().0);
        let answered = match select(receiver, Delay::from(Duration::from_millis(millis))).await {
            Either::Left((reply, _)) => reply.ok(),
            Either::Right(((), _)) => None,
        };
        self.held.borrow_mut().remove(&name);
        answered
    }
}
