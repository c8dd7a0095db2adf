//! The last offer of a thread: why the model had these tools, for who reads the thread later.

use serde::{Deserialize, Serialize};
use toolgate_protocol::chat::ShownOffer;

use crate::chat::transcript::Item;
use crate::run::kept;

/// An offer, as a row keeps it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeptOffer {
    /// How many items the thread had: what the model says next stands behind them.
    pub place: usize,
    /// What was offered.
    pub offer: ShownOffer,
}

impl KeptOffer {
    /// The offer within its limit. `None` where its tools alone are too many to keep.
    pub fn new(place: usize, offer: ShownOffer) -> Option<KeptOffer> {
        kept(offer).map(|offer| KeptOffer { place, offer })
    }

    /// The message that the model answered it with.
    pub fn message<'a>(&self, items: &'a [Item]) -> Option<&'a str> {
        items.iter().skip(self.place).find_map(|item| match item {
            Item::Assistant { id, .. } => Some(id.as_str()),
            _ => None,
        })
    }
}

#[cfg(test)]
mod tests {
    use toolgate_protocol::chat::ShownTool;
    use toolgate_protocol::limits::OFFER_KEPT_BYTES_MAX;
    use toolgate_protocol::runs::LeftOut;

    use super::*;
    use crate::chat::events::Author;

    fn offer(tools: usize, left_out: usize) -> ShownOffer {
        let tool = |at| ShownTool { name: format!("tool_{at}"), score: 1, reasons: Vec::new(), tokens: 9, added: true };
        let left = |at| LeftOut { name: format!("left_{at}"), score: 0, reason: "budget".into() };
        ShownOffer {
            tools: (0..tools).map(tool).collect(),
            left_out: (0..left_out).map(left).collect(),
            left_out_more: None,
            budget_tokens: 8_000,
            used_tokens: 9,
            no_tools: None,
        }
    }

    #[test]
    fn what_is_too_much_is_counted_and_not_kept() {
        let small = offer(3, 4);
        assert_eq!(KeptOffer::new(2, small.clone()), Some(KeptOffer { place: 2, offer: small }));
        let kept = KeptOffer::new(0, offer(3, 4_000)).unwrap().offer;
        assert!(serde_json::to_string(&kept).unwrap().len() <= OFFER_KEPT_BYTES_MAX);
        assert!(!kept.left_out.is_empty());
        assert_eq!(kept.left_out.len() + usize::try_from(kept.left_out_more.unwrap()).unwrap(), 4_000);
        assert_eq!(kept.left_out[0].name, "left_0");
        assert_eq!(KeptOffer::new(0, offer(4_000, 4_000)), None);
    }

    #[test]
    fn it_stands_at_the_message_that_it_was_made_for() {
        let said = |id: &str| Item::Assistant {
            id: id.into(),
            text: "t".into(),
            author: Author { model: "m".into(), demo: false },
            cut: false,
            returns: false,
        };
        let asked = |id: &str| Item::User { id: id.into(), text: "t".into() };
        let items = [asked("u1"), said("a1"), asked("u2"), said("a2"), said("a3")];
        for (place, message) in [(1, Some("a1")), (3, Some("a2")), (4, Some("a3")), (5, None)] {
            let kept = KeptOffer::new(place, offer(1, 0)).unwrap();
            assert_eq!(kept.message(&items), message, "{place}");
        }
    }
}
