//! What an offer grows by: the best of what is new, under the budget.

use toolgate_protocol::limits::OFFER_FIRST_PERCENT;

/// A tool that may be offered.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// Its place among the agent's tools.
    pub tool: usize,
    /// What its definition takes.
    pub tokens: u32,
    /// It is advertised whatever the budget says.
    pub pinned: bool,
}

/// What a turn makes of its candidates.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Selection {
    /// Offered from now on, in this order.
    pub added: Vec<usize>,
    /// What did not fit.
    pub over_budget: Vec<usize>,
}

/// What may be spent: the first turn leaves something for what later turns bring.
pub fn share(budget_tokens: u32, first: bool) -> u32 {
    if first { budget_tokens.saturating_mul(OFFER_FIRST_PERCENT).saturating_div(100) } else { budget_tokens }
}

/// Takes what fits, in the order given. What does not fit is passed over: one large tool does not shut out those behind.
pub fn select(candidates: &[Candidate], used_tokens: u32, share: u32) -> Selection {
    let (mut selection, mut used) = (Selection::default(), used_tokens);
    for candidate in candidates {
        let after = used.saturating_add(candidate.tokens);
        if candidate.pinned || after <= share {
            used = after;
            selection.added.push(candidate.tool);
        } else {
            selection.over_budget.push(candidate.tool);
        }
    }
    selection
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chosen(candidates: &[(usize, u32, bool)], used: u32, budget: u32) -> (Vec<usize>, Vec<usize>) {
        let candidate =
            |(tool, tokens, pinned): &(usize, u32, bool)| Candidate { tool: *tool, tokens: *tokens, pinned: *pinned };
        let candidates: Vec<Candidate> = candidates.iter().map(candidate).collect();
        let Selection { added, over_budget } = select(&candidates, used, budget);
        (added, over_budget)
    }

    #[test]
    fn best_first_until_the_budget_ends() {
        let (a, b, c, d) = ((7, 40, false), (2, 80, false), (9, 50, false), (0, 10, false));
        for (candidates, used, budget, added, over) in [
            (&[a, b, c, d][..], 0, 100, &[7, 9, 0][..], &[2][..]),
            (&[a, b, c, d], 0, 180, &[7, 2, 9, 0], &[]),
            (&[a, b], 100, 100, &[], &[7, 2]),
            (&[(1, 500, true), a], 0, 100, &[1], &[7]),
            (&[], 0, 100, &[], &[]),
        ] {
            assert_eq!(chosen(candidates, used, budget), (added.to_vec(), over.to_vec()));
        }
        assert_eq!((share(1_000, true), share(1_000, false), share(u32::MAX, true) > 0), (700, 1_000, true));
    }
}
