//! Putting calls together from their pieces.
//!
//! The rules stand in [`Calls::locate`], because endpoints name the call of a piece in many ways: by index, by id, by
//! both, by neither, by an index that another call has, by an id that comes late. A call is told of once its name is
//! complete and its arguments begin, in the order in which calls were opened; the rest of it at the end. Its id is one
//! of ours: those of endpoints repeat from turn to turn, and some take none but nine letters and digits.

use toolgate_protocol::limits::{MODEL_CALLS_MAX, MODEL_EXTRA_BYTES_MAX};

use super::chunk::CallPiece;
use super::{Delta, ModelError};
use crate::hash::letters;
use crate::json::{Json, parse};

/// Length of a call's id.
pub(super) const CALL_ID_CHARS: usize = 9;

/// The id of a turn's nth call.
pub(super) fn call_id(entropy: &[u8; 16], nth: usize) -> String {
    let nth = u64::try_from(nth).unwrap_or(u64::MAX).to_be_bytes();
    letters(&[entropy.as_slice(), &nth].concat(), CALL_ID_CHARS)
}

#[derive(Debug, Default)]
struct Call {
    id: String,
    /// The endpoint's id, once it gave one.
    given: String,
    index: Option<u64>,
    name: String,
    arguments: String,
    /// How much of the arguments was told; nothing was told of a call that was not started.
    told: usize,
    /// What the endpoint wants back with the call, until it was told of.
    extra: Option<String>,
    is_started: bool,
}

/// The calls of a turn.
#[derive(Debug)]
pub(super) struct Calls {
    entropy: [u8; 16],
    offered: Vec<String>,
    calls: Vec<Call>,
    /// Which call an index means now.
    indexes: Vec<(u64, usize)>,
    /// The call of the last piece.
    current: Option<usize>,
}

impl Calls {
    /// `offered` are the names that may be called: they say where a name that comes in pieces ends.
    pub fn new(entropy: [u8; 16], offered: Vec<String>) -> Calls {
        Calls { entropy, offered, calls: Vec::new(), indexes: Vec::new(), current: None }
    }

    /// Nothing is called.
    pub fn is_empty(&self) -> bool {
        self.calls.is_empty()
    }

    /// Another piece.
    pub fn piece(&mut self, piece: &CallPiece, out: &mut Vec<Delta>) -> Result<(), ModelError> {
        let at = match self.locate(piece) {
            Some(at) => at,
            None => self.open(piece)?,
        };
        if let Some(index) = piece.index {
            self.indexes.retain(|(known, _)| *known != index);
            self.indexes.push((index, at));
        }
        self.current = Some(at);
        if piece.extra.len() > MODEL_EXTRA_BYTES_MAX {
            return Err(ModelError::malformed("what it wants back with a call is too large"));
        }
        let offered = &self.offered;
        if let Some(call) = self.calls.get_mut(at) {
            if call.given.is_empty() {
                call.given.clone_from(&piece.id);
            }
            call.extend_name(&piece.name, offered)?;
            call.arguments.push_str(&piece.arguments);
            if !piece.extra.is_empty() {
                call.extra = Some(piece.extra.clone());
            }
        }
        self.tell(out);
        Ok(())
    }

    /// The turn is over: every call ends.
    pub fn end(&mut self, out: &mut Vec<Delta>) -> Result<(), ModelError> {
        for call in &mut self.calls {
            let is_blank = call.arguments.trim().is_empty();
            match (call.name.is_empty(), is_blank) {
                // Some endpoints end with an entry that says nothing.
                (true, true) => continue,
                (true, false) => return Err(ModelError::malformed("it calls a tool without a name")),
                (false, true) => call.arguments = "{}".to_owned(),
                (false, false) => {}
            }
            call.start(out);
            call.tell_arguments(out);
            out.push(Delta::CallEnded { id: call.id.clone() });
        }
        self.calls.clear();
        Ok(())
    }

    /// The call that a piece belongs to; `None` when it opens one.
    fn locate(&self, piece: &CallPiece) -> Option<usize> {
        let by_index = |index| self.indexes.iter().find(|(known, _)| *known == index).map(|(_, at)| *at);
        let mapped = piece.index.and_then(by_index);
        let known = self.calls.iter().position(|call| !piece.id.is_empty() && call.given == piece.id);
        let has_name = !piece.name.is_empty();
        match (known, mapped, piece.index) {
            // A known id wins, unless one id is given to every call.
            (Some(at), ..) => {
                let is_elsewhere =
                    piece.index.is_some() && self.calls.get(at).is_some_and(|call| call.index != piece.index);
                (!(is_elsewhere && has_name && self.begins_anew(at, &piece.name))).then_some(at)
            }
            // A new id: of the call that has none yet, or of a new one that reuses an index.
            (None, ..) if !piece.id.is_empty() => {
                let at = if piece.index.is_some() { mapped } else { self.current }?;
                let call = self.calls.get(at)?;
                (call.given.is_empty() && (call.name.is_empty() || !has_name)).then_some(at)
            }
            (None, Some(at), _) => (!has_name || !self.begins_anew(at, &piece.name)).then_some(at),
            // An index that no call has, without id and name: some endpoints count on while one call goes on.
            (None, None, Some(_)) if !has_name => self.current,
            (None, None, Some(_)) => None,
            (None, None, None) => self.current.filter(|at| !has_name || !self.begins_anew(*at, &piece.name)),
        }
    }

    /// Whether this name, without anything else that tells calls apart, belongs to another call than this one.
    fn begins_anew(&self, at: usize, name: &str) -> bool {
        let Some(call) = self.calls.get(at) else { return true };
        if call.name.is_empty() {
            return false;
        }
        if matches!(parse(&call.arguments), Ok(Json::Map(_))) {
            return true;
        }
        let continued = [call.name.as_str(), name].concat();
        let may_go_on = name.starts_with(&call.name) || self.offered.iter().any(|each| each.starts_with(&continued));
        !may_go_on && self.offered.contains(&call.name)
    }

    fn open(&mut self, piece: &CallPiece) -> Result<usize, ModelError> {
        let at = self.calls.len();
        if at >= MODEL_CALLS_MAX {
            return Err(ModelError::malformed("it calls too many tools at once"));
        }
        self.calls.push(Call { id: call_id(&self.entropy, at), index: piece.index, ..Call::default() });
        Ok(at)
    }

    /// Tells what is certain, in the order of the calls.
    fn tell(&mut self, out: &mut Vec<Delta>) {
        for call in &mut self.calls {
            let is_ready = self.offered.contains(&call.name) && !call.arguments.trim().is_empty();
            if !call.is_started && !is_ready {
                return;
            }
            call.start(out);
            call.tell_arguments(out);
        }
    }
}

impl Call {
    /// A name comes whole, in pieces, again and again, or longer each time.
    fn extend_name(&mut self, piece: &str, offered: &[String]) -> Result<(), ModelError> {
        if piece.is_empty() || (self.is_started && piece == self.name) {
            return Ok(());
        }
        if self.is_started {
            return Err(ModelError::malformed("the name of a call changes in the middle of it"));
        }
        let longer = [self.name.as_str(), piece].concat();
        if offered.iter().any(|each| each.starts_with(&longer)) {
            self.name = longer;
        } else if piece.starts_with(&self.name) {
            piece.clone_into(&mut self.name);
        } else {
            self.name = longer;
        }
        Ok(())
    }

    fn start(&mut self, out: &mut Vec<Delta>) {
        if !std::mem::replace(&mut self.is_started, true) {
            out.push(Delta::CallStarted { id: self.id.clone(), name: self.name.clone() });
        }
        out.extend(self.extra.take().map(|extra| Delta::CallExtra { id: self.id.clone(), extra }));
    }

    fn tell_arguments(&mut self, out: &mut Vec<Delta>) {
        let news = self.arguments.get(self.told..).unwrap_or_default();
        if !news.is_empty() {
            out.push(Delta::CallArguments { id: self.id.clone(), text: news.to_owned() });
            self.told = self.arguments.len();
        }
    }
}
