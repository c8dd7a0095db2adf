//! What an offer grows by: the best of what is new, under the budget.

use std::collections::BTreeSet;

use toolgate_protocol::limits::OFFER_FIRST_PERCENT;

/// A tool that may be offered.
#[derive(Clone, Debug)]
pub struct Candidate<'a> {
    /// Its name.
    pub name: &'a str,
    /// What its definition takes.
    pub tokens: u32,
    /// It is advertised whatever the budget says.
    pub pinned: bool,
}

/// What a turn makes of its candidates.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Selection<'a> {
    /// Offered from now on, in this order.
    pub added: Vec<&'a str>,
    /// What did not fit.
    pub over_budget: BTreeSet<&'a str>,
}

/// What may be spent: the first turn leaves something for what later turns bring.
pub fn share(budget_tokens: u32, first: bool) -> u32 {
    if first { budget_tokens.saturating_mul(OFFER_FIRST_PERCENT).saturating_div(100) } else { budget_tokens }
}

/// Takes what fits, in the order given. What does not fit is passed over: one large tool does not shut out those behind.
pub fn select<'a>(candidates: &[Candidate<'a>], used_tokens: u32, share: u32) -> Selection<'a> {
    let (mut selection, mut used) = (Selection::default(), used_tokens);
    for candidate in candidates {
        let after = used.saturating_add(candidate.tokens);
        if candidate.pinned || after <= share {
            used = after;
            selection.added.push(candidate.name);
        } else {
            selection.over_budget.insert(candidate.name);
        }
    }
    selection
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(candidates: &[(&str, u32, bool)], used: u32, budget: u32) -> (Vec<String>, Vec<String>) {
        let candidates: Vec<Candidate<'_>> = candidates
            .iter()
            .map(|(name, tokens, pinned)| Candidate { name, tokens: *tokens, pinned: *pinned })
            .collect();
        let Selection { added, over_budget } = select(&candidates, used, budget);
        let owned = |name: &str| name.to_owned();
        (added.into_iter().map(owned).collect(), over_budget.into_iter().map(owned).collect())
    }

    #[test]
    fn best_first_until_the_budget_ends() {
        let (a, b, c, d) = (("a", 40, false), ("b", 80, false), ("c", 50, false), ("d", 10, false));
        for (candidates, used, budget, added, over) in [
            (&[a, b, c, d][..], 0, 100, &["a", "c", "d"][..], &["b"][..]),
            (&[a, b, c, d], 0, 180, &["a", "b", "c", "d"], &[]),
            (&[a, b], 100, 100, &[], &["a", "b"]),
            (&[("p", 500, true), a], 0, 100, &["p"], &["a"]),
            (&[], 0, 100, &[], &[]),
        ] {
            let (found, left) = names(candidates, used, budget);
            assert_eq!(
                (found, left),
                (added.iter().map(ToString::to_string).collect(), over.iter().map(ToString::to_string).collect())
            );
        }
        assert_eq!((share(1_000, true), share(1_000, false), share(u32::MAX, true) > 0), (700, 1_000, true));
    }
}
