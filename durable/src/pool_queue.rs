//! The shell of a pool's queue.

use std::cell::{Cell, RefCell};
use std::pin::Pin;
use std::rc::Rc;

use futures_channel::oneshot;
use serde::de::DeserializeOwned;
use toolgate_core::ids::{Ids, Place};
use toolgate_core::problem::Problem;
use toolgate_core::queue::delivery::{Delivery, DeliveryEnvelope, Report};
use toolgate_core::queue::messages::{Envelope, PoolBatch, Push, Reply, VERSION};
use toolgate_core::queue::sql::SqlStore;
use toolgate_core::queue::store::Store as _;
use toolgate_core::queue::{Effects, Event, Outcome, Queue};
use toolgate_protocol::limits::{BODIES_IN_FLIGHT_BYTES_MAX, PUSH_SECONDS};
use toolgate_protocol::problems;
use worker::{
    DurableObject, Env, Request, Response, Result, State, WebSocket, WebSocketIncomingMessage, console_error,
    durable_object,
};

use crate::reach::Policy;
use crate::sql::{ObjectSql, transaction};
use crate::waiters::Waiters;
use crate::{alarm, answers, clock, reach};

/// The object of one pool.
#[durable_object]
pub struct PoolQueue(Rc<Shell>);

struct Shell {
    state: State,
    env: Env,
    sql: ObjectSql,
    /// Or why the object cannot start: answered as 503, never as a panic.
    queue: std::result::Result<RefCell<Queue>, String>,
    waiters: Waiters,
    bytes_in_flight: Cell<usize>,
    /// Setting an alarm is billed like a row.
    alarms_set: Cell<u64>,
    /// The tables exist: they are made once the registry knows the pool, so that asking for a pool costs nothing.
    has_tables: Cell<bool>,
    telling: Cell<bool>,
    /// Requests that wait for a policy that is being fetched.
    fetching: RefCell<Option<Vec<oneshot::Sender<Fetched>>>>,
}

/// What came of a fetch, for those who wait for it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Fetched {
    /// The policy is there, or the registry could not be asked.
    Done,
    /// There is no such pool.
    Refused,
}

impl DurableObject for PoolQueue {
    fn new(state: State, env: Env) -> Self {
        console_error_panic_hook::set_once();
        let sql = ObjectSql::new(&state.storage());
        let has_tables = SqlStore::exists(&sql);
        let start = crate::master_key(&env).and_then(|key| match &has_tables {
            Ok(true) => SqlStore::create(&sql).map(|()| key).map_err(|error| error.to_string()),
            Ok(false) => Ok(key),
            Err(error) => Err(error.to_string()),
        });
        let has_tables = Cell::new(has_tables.unwrap_or(false));
        let queue = start.map(|key| RefCell::new(Queue::new(Ids::new(&key))));
        PoolQueue(Rc::new(Shell {
            state,
            env,
            sql,
            queue,
            waiters: Waiters::default(),
            bytes_in_flight: Cell::new(0),
            alarms_set: Cell::new(0),
            has_tables,
            telling: Cell::new(false),
            fetching: RefCell::new(None),
        }))
    }

    async fn fetch(&self, request: Request) -> Result<Response> {
        match self.0.answer(request).await {
            Ok(response) => Ok(response),
            Err(problem) => answers::refusal(&problem),
        }
    }

    async fn alarm(&self) -> Result<Response> {
        if self.0.run(Event::Tick).await.is_err() {
            // The step was undone and logged; ring again rather than let the pool's time stop.
            let _ = alarm::arm_at(&self.0.state.storage(), clock::now().plus_seconds(5)).await;
        }
        Response::empty()
    }

    /// No socket is accepted by this version; a stray one is closed rather than left to panic.
    async fn websocket_message(&self, ws: WebSocket, _message: WebSocketIncomingMessage) -> Result<()> {
        ws.close(Some(1003), Some("not supported"))
    }

    async fn websocket_close(&self, _ws: WebSocket, _code: usize, _reason: String, _was_clean: bool) -> Result<()> {
        Ok(())
    }

    async fn websocket_error(&self, _ws: WebSocket, _error: worker::Error) -> Result<()> {
        Ok(())
    }
}

impl Shell {
    async fn answer(self: &Rc<Self>, mut request: Request) -> std::result::Result<Response, Problem> {
        if let Err(why) = &self.queue {
            console_error!("a pool's object cannot start: {why}");
            return Err(Problem::storage());
        }
        let path = request.path();
        let text = self.body(&mut request).await?;
        if path == "/policy" {
            let push: Push = parse(&text)?;
            self.make_tables()?;
            self.run(Event::Snapshot(Box::new(push.snapshot))).await?;
            return Response::empty().map_err(|_| Problem::storage());
        }
        if path == "/report" {
            let report = Event::Report(Box::new(parse(&text)?));
            return match self.run(report).await? {
                (Outcome::Reply(reply), _) => answers::queue(&reply).map_err(|_| Problem::storage()),
                (Outcome::Hold(..), _) => Err(Problem::storage()),
            };
        }
        let envelope: Envelope = parse(&text)?;
        drop(text);
        if let Some(refused) = self.refresh_before(&envelope).await? {
            return Ok(refused);
        }
        let reply = match self.run(Event::Ask(Box::new(envelope))).await? {
            (Outcome::Reply(reply), _) => reply,
            (Outcome::Hold(name, deadline), Some(receiver)) => {
                match self.waiters.wait(name, receiver, deadline).await {
                    Some(reply) => reply,
                    None => self.give_up_waiting(name).await?,
                }
            }
            (Outcome::Hold(..), None) => Err(Problem::storage()),
        };
        answers::queue(&reply).map_err(|_| Problem::storage())
    }

    async fn give_up_waiting(self: &Rc<Self>, name: u64) -> std::result::Result<Reply, Problem> {
        match self.run(Event::WaiterDue(name)).await? {
            (Outcome::Reply(reply), _) => Ok(reply),
            (Outcome::Hold(..), _) => Err(Problem::storage()),
        }
    }

    /// Reads a body, under the object's cap of bytes in flight.
    #[expect(clippy::disallowed_methods, reason = "the edge read it under a cap and wrote it anew")]
    async fn body(&self, request: &mut Request) -> std::result::Result<String, Problem> {
        let announced =
            request.headers().get("content-length").ok().flatten().and_then(|length| length.parse().ok()).unwrap_or(0);
        let held = self.bytes_in_flight.get().saturating_add(announced);
        if held > BODIES_IN_FLIGHT_BYTES_MAX {
            let detail = format!(
                "{held} bytes are being read in this pool; the limit is {BODIES_IN_FLIGHT_BYTES_MAX}. Try again."
            );
            return Err(Problem::new(problems::BUSY, detail));
        }
        self.bytes_in_flight.set(held);
        let text = request.text().await;
        self.bytes_in_flight.set(self.bytes_in_flight.get().saturating_sub(announced));
        text.map_err(|_| Problem::storage())
    }

    /// One step in one transaction; then, in the same turn, the alarm; then the effects. A held request's receiver is
    /// registered before anything is awaited.
    async fn run(
        self: &Rc<Self>,
        event: Event,
    ) -> std::result::Result<(Outcome, Option<oneshot::Receiver<Reply>>), Problem> {
        let effects = self.step(event)?;
        let receiver = match &effects.outcome {
            Outcome::Hold(name, _) => Some(self.waiters.hold(*name)),
            Outcome::Reply(_) => None,
        };
        self.waiters.answer(effects.answers);
        if let Some(at) = effects.alarm {
            self.alarms_set.set(self.alarms_set.get().saturating_add(1));
            if let Err(error) = alarm::arm_at(&self.state.storage(), at).await {
                console_error!("the alarm could not be set: {error}");
                // The next step sets it: nothing may believe that it is set.
                if let Ok(queue) = &self.queue {
                    queue.borrow_mut().memory.alarm = None;
                }
            }
        }
        if effects.outbox {
            let shell = Rc::clone(self);
            self.state.wait_until(async move { shell.tell().await });
        }
        for delivery in effects.deliveries {
            let shell = Rc::clone(self);
            self.state.wait_until(async move { shell.deliver(delivery).await });
        }
        if effects.wants_snapshot {
            let shell = Rc::clone(self);
            self.state.wait_until(async move {
                let place = shell.place();
                if let Some(place) = place {
                    let _ = shell.refresh(&place).await;
                }
            });
        }
        Ok((effects.outcome, receiver))
    }

    fn step(&self, event: Event) -> std::result::Result<Effects, Problem> {
        let Ok(queue) = &self.queue else { return Err(Problem::storage()) };
        if !self.has_tables.get() {
            let detail = "The pool could not read its policy; nothing was accepted. Try again.";
            return Err(Problem::new(problems::REGISTRY_UNAVAILABLE, detail));
        }
        let (now, entropy) = (clock::now(), clock::entropy().map_err(|_| Problem::storage())?);
        let mut queue = queue.borrow_mut();
        queue.memory.rows_written = self.sql.rows_written().saturating_add(self.alarms_set.get());
        let mut event = Some(event);
        let done = transaction(&self.state.storage(), || match event.take() {
            Some(event) => queue.step(&mut SqlStore::new(&self.sql, now), event, now, entropy),
            None => Err(toolgate_core::sql_port::StoreError::Failed("a step ran twice".into())),
        });
        done.map_err(|error| {
            console_error!("a step was undone: {}", error);
            self.waiters.answer(queue.forget());
            Problem::storage()
        })
    }

    fn make_tables(&self) -> std::result::Result<(), Problem> {
        if !self.has_tables.get() {
            SqlStore::create(&self.sql).map_err(|error| {
                console_error!("the tables could not be made: {error}");
                Problem::storage()
            })?;
            self.has_tables.set(true);
        }
        Ok(())
    }

    fn place(&self) -> Option<Place> {
        self.queue.as_ref().ok().and_then(|queue| queue.borrow().place.clone())
    }

    /// Fetches the policy when the request must not be decided with an old one. A refusal (there is no such pool) is
    /// the answer; when the registry cannot be reached, the step says so.
    async fn refresh_before(self: &Rc<Self>, envelope: &Envelope) -> std::result::Result<Option<Response>, Problem> {
        let Ok(queue) = &self.queue else { return Ok(None) };
        if !self.has_tables.get() {
            return self.refresh(&envelope.place).await;
        }
        if !queue.borrow().memory.ready {
            self.run(Event::Tick).await?;
        }
        if !queue.borrow().needs_snapshot(&envelope.ask, &envelope.who, clock::now()) {
            return Ok(None);
        }
        self.refresh(&envelope.place).await
    }

    /// One fetch serves all who wait for it.
    async fn refresh(self: &Rc<Self>, place: &Place) -> std::result::Result<Option<Response>, Problem> {
        let waiting = self.fetching.borrow_mut().as_mut().map(|others| {
            let (sender, receiver) = oneshot::channel();
            others.push(sender);
            receiver
        });
        if let Some(receiver) = waiting {
            // What the first one learned serves all; when it learned nothing, the step says so.
            return if receiver.await == Ok(Fetched::Refused) { Err(Problem::not_found()) } else { Ok(None) };
        }
        *self.fetching.borrow_mut() = Some(Vec::new());
        let asked = clock::within(PUSH_SECONDS, Box::pin(reach::policy(&self.env, place))).await;
        let learned = match asked {
            Some(Ok(Policy::Given(push))) => self.learn(*push).await.map(|()| None),
            Some(Ok(Policy::Refused(response))) => Ok(Some(response)),
            Some(Err(error)) => {
                console_error!("the registry could not be asked for the policy: {error}");
                Ok(None)
            }
            None => {
                console_error!("the registry did not answer in {PUSH_SECONDS} s when asked for the policy");
                Ok(None)
            }
        };
        let fetched = if matches!(learned, Ok(Some(_))) { Fetched::Refused } else { Fetched::Done };
        let others = self.fetching.borrow_mut().take().unwrap_or_default();
        for sender in others {
            let _ = sender.send(fetched);
        }
        learned
    }

    /// Stores a policy that was fetched, and says so: until then the registry goes on pushing it.
    async fn learn(self: &Rc<Self>, push: Push) -> std::result::Result<(), Problem> {
        self.make_tables()?;
        let (place, version) = (push.place, push.snapshot.version);
        let learned: Pin<Box<dyn Future<Output = _>>> = Box::pin(self.run(Event::Snapshot(Box::new(push.snapshot))));
        learned.await?;
        let shell = Rc::clone(self);
        self.state.wait_until(async move {
            let said = Box::pin(reach::stored(&shell.env, &place, version));
            if !matches!(clock::within(PUSH_SECONDS, said).await, Some(Ok(()))) {
                console_error!("the registry could not be told which policy is stored");
            }
        });
        Ok(())
    }

    /// Gives a delivery to the edge. What does not arrive goes back to the queue; when even that is not said, its lease
    /// lapses.
    async fn deliver(self: Rc<Self>, delivery: Delivery) {
        let sent = Box::pin(reach::deliver(&self.env, &delivery));
        let why = match clock::within(PUSH_SECONDS, sent).await {
            Some(Ok(())) => return,
            Some(Err(error)) => error.to_string(),
            None => format!("no answer in {PUSH_SECONDS} s"),
        };
        console_error!("the edge could not be given a delivery: {why}");
        let Delivery { place, claim, .. } = delivery;
        let (base_url, report) = (String::new(), Report::NotTried);
        let report = DeliveryEnvelope { v: VERSION, place, base_url, claim, waits: None, report };
        let reported: Pin<Box<dyn Future<Output = _>>> = Box::pin(self.run(Event::Report(Box::new(report))));
        let _ = reported.await;
    }

    /// Empties the outbox, in order, one batch at a time. What is left is tried again by the alarm.
    async fn tell(self: &Rc<Self>) {
        if self.telling.replace(true) {
            return;
        }
        loop {
            let store = SqlStore::new(&self.sql, clock::now());
            let (Some(place), Ok(messages)) = (self.place(), store.outbox(20)) else { break };
            let Some((last, _)) = messages.last() else { break };
            let last = *last;
            let batch = PoolBatch { v: VERSION, place, messages };
            match clock::within(PUSH_SECONDS, Box::pin(reach::tell(&self.env, batch))).await {
                Some(Ok(true)) => {}
                Some(Err(error)) => {
                    console_error!("the registry could not be told: {error}");
                    break;
                }
                Some(Ok(false)) | None => break,
            }
            let told: Pin<Box<dyn Future<Output = _>>> = Box::pin(self.run(Event::Told(last)));
            if told.await.is_err() {
                break;
            }
        }
        self.telling.set(false);
    }
}

fn parse<T: DeserializeOwned>(text: &str) -> std::result::Result<T, Problem> {
    serde_json::from_str(text).map_err(|error| {
        console_error!("an internal message does not parse: {error}");
        Problem::new(problems::BUSY, "A deploy is under way; try again.")
    })
}
