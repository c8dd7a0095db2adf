//! Everybody around the notices: the edge, which dies, is late and says the same twice; receivers that take a message,
//! refuse it, answer too late, want no more; and an admin who writes and deletes notifications meanwhile.

use std::collections::BTreeMap;

use toolgate_core::registry::{
    Answer, Command, NewSecret, Notice, NoticeOutcome, NoticeReport, NotificationSpec, Page,
};
use toolgate_protocol::notifications::NotificationEvent;

use super::Office;
use crate::bugs::Bug;
use crate::checks::Checked;
use crate::random::Random;
use NotificationEvent::{Decided, Expired, Requested};

const NAMES: [&str; 3] = ["ops", "mail", "pager"];
pub const ALL: &[NotificationEvent] = &[Requested, Decided, Expired];
const WAYS: [&[NotificationEvent]; 5] = [ALL, ALL, &[Requested], &[Decided, Requested], &[Expired]];
/// Stands in every address, as a token of the receiver may.
pub const TOKEN: &str = "token-of-the-receiver";

/// A message at the edge.
pub struct Post {
    pub notice: Notice,
    /// The receiver has it, and its answer is on the way.
    pub was_read: bool,
}

/// How a receiver behaves now.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Mood {
    #[default]
    Takes,
    Down,
    WantsNoMore,
}

/// Receivers by address.
#[derive(Default)]
pub struct Receivers {
    moods: BTreeMap<String, Mood>,
}

impl Receivers {
    /// One of them wakes up on another side.
    pub fn change(&mut self, random: &mut Random) {
        let url = url_of(random);
        let mood = match random.below(20) {
            0..11 => Mood::Takes,
            11..19 => Mood::Down,
            _ => Mood::WantsNoMore,
        };
        self.moods.insert(url, mood);
    }

    fn mood(&self, url: &str) -> Mood {
        self.moods.get(url).copied().unwrap_or_default()
    }
}

fn url_of(random: &mut Random) -> String {
    format!("https://hooks{}.example.com/in?token={TOKEN}", random.below(4))
}

impl Office {
    /// Something happens to a message at the edge.
    pub(super) fn post_arrives(&mut self) -> Checked {
        if self.posts.is_empty() {
            return Ok(());
        }
        let at = self.random.below(self.posts.len());
        let mut post = self.posts.swap_remove(at);
        if self.chance(30) {
            // The edge dies, before it has sent the message or after the answer.
            return Ok(());
        }
        let mood = self.receivers.mood(&post.notice.url);
        if mood == Mood::Takes && !post.was_read {
            self.books.read_by_receiver(&post.notice)?;
            post.was_read = true;
            if self.chance(150) {
                // It takes its time; meanwhile the lease may lapse.
                self.posts.push(post);
                return Ok(());
            }
        }
        let outcome = match mood {
            _ if post.was_read && self.chance(100) => {
                NoticeOutcome::NotTaken("The receiver did not take it (endpoint_timeout).".into())
            }
            _ if post.was_read => NoticeOutcome::Taken,
            Mood::WantsNoMore => NoticeOutcome::Gone,
            Mood::Takes | Mood::Down if self.bug == Some(Bug::SaysWhereTo) => {
                NoticeOutcome::NotTaken(format!("{} is down.", post.notice.url))
            }
            Mood::Takes | Mood::Down => NoticeOutcome::NotTaken("The receiver did not take it.".into()),
        };
        let Notice { notification, event, revision, id, attempt, .. } = post.notice;
        let report = NoticeReport { notification, event, revision, id, attempt, outcome };
        if self.chance(40) {
            // Nobody hears of it.
            return Ok(());
        }
        if self.chance(40) {
            self.reports.push(report.clone());
        }
        if self.chance(300) {
            self.reports.push(report);
            return Ok(());
        }
        self.report(report)
    }

    pub(super) fn report_arrives(&mut self) -> Checked {
        if self.reports.is_empty() {
            return Ok(());
        }
        let at = self.random.below(self.reports.len());
        let report = self.reports.swap_remove(at);
        self.report(report)
    }

    fn report(&mut self, report: NoticeReport) -> Checked {
        let fails_after = self.fault();
        let Some(effects) = self.step(Command::NoticeReport(Box::new(report.clone())), fails_after)? else {
            return Ok(());
        };
        if !matches!(effects.reply, Ok(Answer::Done)) || !effects.notices.is_empty() {
            return Err(format!("a report was answered by {:?}", effects.reply));
        }
        self.books.reported(&report)?;
        self.check()
    }

    pub(super) fn admin_acts(&mut self) -> Checked {
        let name = (*self.random.pick(&NAMES).expect("names")).to_owned();
        let word = self.random.below(100);
        if !self.notifies {
            return Ok(());
        }
        match word {
            0..70 => {
                let (events, url) = (*self.random.pick(&WAYS).expect("ways"), url_of(&mut self.random));
                self.write(name, events, url)
            }
            70..90 => self.delete(name),
            _ => {
                let listed = self.ask(Command::ListNotifications(Page { limit: 100, cursor: None }))?;
                let names = listed["notifications"].as_array().map(Vec::len);
                if names == Some(self.books.names().len()) { Ok(()) } else { Err(format!("listed are {listed}")) }
            }
        }
    }

    pub(super) fn write(&mut self, name: String, events: &[NotificationEvent], url: String) -> Checked {
        let number = self.random.draw();
        let secret = NewSecret { sealed: format!("sealed-{number}"), fingerprint: format!("fingerprint-{number}") };
        let is_given = self.chance(300);
        let base_url = "https://gate.example.com".to_owned();
        let spec = NotificationSpec { url: url.clone(), base_url, events: events.to_vec(), secret, is_given };
        let fails_after = self.fault();
        let command = Command::PutNotification(name.clone(), Box::new(spec));
        let Some(effects) = self.step(command, fails_after)? else { return Ok(()) };
        match effects.reply {
            Ok(Answer::Body(200 | 201, _)) if effects.pushes.is_empty() => {}
            other => return Err(format!("1: a notification that was written answered {other:?}, or changed a policy")),
        }
        self.books.written(&name, events, &url);
        self.check()
    }

    fn delete(&mut self, name: String) -> Checked {
        let fails_after = self.fault();
        let Some(effects) = self.step(Command::DeleteNotification(name.clone()), fails_after)? else { return Ok(()) };
        match effects.reply {
            Ok(Answer::Body(200, _)) => self.books.deleted(&name)?,
            Err(problem) if problem.kind.code == "not_found" && !self.books.names().contains(&name) => {}
            other => return Err(format!("a notification that was deleted answered {other:?}")),
        }
        self.check()
    }
}
