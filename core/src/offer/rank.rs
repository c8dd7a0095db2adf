//! Adds up. A ranking and its explanation call the same functions for each part, so that they cannot differ.

use std::cmp::Reverse;

use super::index::{Index, Posting, Tool};
use super::question::{Concept, Question};
use super::{Part, Ranked, Reason, Scored};

/// Points for a whole keyword, and how many keywords of a tool count.
const PHRASE_POINTS: u32 = 4_000;
const PHRASES_COUNTED: usize = 2;
/// Points for a pattern; one of a tool counts.
const PATTERN_POINTS: u32 = 8_000;
/// Points for a field that takes a value which was said.
const VALUE_POINTS: u32 = 500;
/// Of what a name tells, when all of it was said; in thousandths.
const WHOLE_NAME_MILLI: u64 = 200;

pub(super) fn rank(index: &Index, text: &str) -> Vec<Scored> {
    let question = Question::read(index, text);
    let mut sums = vec![0_u32; index.tools.len()];
    let mut best = vec![0_u32; index.tools.len()];
    let mut touched = Vec::new();
    for concept in &question.concepts {
        for (posting, points) in offers(index, concept) {
            let tool = position(posting);
            if let Some(most) = best.get_mut(tool) {
                if *most == 0 {
                    touched.push(tool);
                }
                *most = (*most).max(points);
            }
        }
        for tool in touched.drain(..) {
            let most = best.get_mut(tool).map(std::mem::take).unwrap_or_default();
            add(&mut sums, tool, most);
        }
    }
    for (tool, points) in wholes(&question, index.tools.len()) {
        add(&mut sums, tool, points);
    }
    let said = said_shares(index, &question);
    let mut ranked: Vec<(Scored, u32)> = Vec::new();
    for ((position, tool), sum) in index.tools.iter().enumerate().zip(sums).filter(|(_, sum)| *sum > 0) {
        let values = values(&question, tool).fold(0, |sum: u32, (_, _, points)| sum.saturating_add(points));
        let score = sum.saturating_add(values).saturating_add(whole_name(index, tool, &said));
        ranked.push((Scored { tool: position, score }, tool.order));
    }
    ranked.sort_unstable_by_key(|(scored, order)| (Reverse(scored.score), *order));
    ranked.into_iter().map(|(scored, _)| scored).collect()
}

pub(super) fn explain(index: &Index, text: &str, tools: &[usize]) -> Vec<Ranked> {
    let question = Question::read(index, text);
    let said = said_shares(index, &question);
    let known = tools.iter().filter_map(|at| Some((*at, index.tools.get(*at)?)));
    known.map(|(position, tool)| ranked(index, &question, &said, position, tool)).collect()
}

fn ranked(index: &Index, question: &Question<'_>, said: &[u32], position: usize, tool: &Tool) -> Ranked {
    let words = question.concepts.iter().filter_map(|concept| word(index, concept, position));
    let mut reasons: Vec<Reason> = words.collect();
    let reason = |part, what: &str, said: Option<&str>, points| Reason {
        part,
        what: what.to_owned(),
        said: said.map(str::to_owned),
        points,
    };
    let phrases = question.phrases.iter().filter(|phrase| phrase.tools.contains(&position)).take(PHRASES_COUNTED);
    reasons.extend(phrases.map(|phrase| reason(Part::Phrase, &phrase.written, None, PHRASE_POINTS)));
    let pattern = question.patterns.iter().find(|found| found.tools.contains(&position));
    reasons.extend(pattern.map(|found| reason(Part::Pattern, found.pattern, Some(&found.said), PATTERN_POINTS)));
    if !reasons.is_empty() {
        let values = values(question, tool);
        reasons.extend(values.map(|(field, kind, points)| reason(Part::Value, field, Some(kind), points)));
        reasons.push(reason(Part::WholeName, &tool.name, None, whole_name(index, tool, said)));
    }
    reasons.retain(|reason| reason.points > 0);
    reasons.sort_by(|left, right| {
        let key = |reason: &Reason| (Reverse(reason.points), reason.part);
        key(left).cmp(&key(right)).then_with(|| left.what.cmp(&right.what)).then_with(|| left.said.cmp(&right.said))
    });
    let score = reasons.iter().fold(0, |sum: u32, reason| sum.saturating_add(reason.points));
    Ranked { tool: position, score, reasons }
}

/// All that a word of the text gives to tools: of its meanings that a tool has, the best one counts.
fn offers<'a>(index: &'a Index, concept: &'a Concept) -> impl Iterator<Item = (&'a Posting, u32)> {
    let meanings = concept.meanings.iter().map(|(term, share)| (*term, weight(concept, *share)));
    meanings
        .flat_map(|(term, weight)| index.postings(term).iter().map(move |posting| (posting, worth(posting, weight))))
}

/// Share and weight together, in millionths.
fn weight(concept: &Concept, share_milli: u32) -> u64 {
    u64::from(concept.weight_milli).saturating_mul(u64::from(share_milli))
}

fn worth(posting: &Posting, weight: u64) -> u32 {
    u32::try_from(u64::from(posting.points).saturating_mul(weight).div_euclid(1_000_000)).unwrap_or(u32::MAX)
}

fn word(index: &Index, concept: &Concept, tool: usize) -> Option<Reason> {
    let posting_of = |term: usize| {
        let postings = index.postings(term);
        postings.binary_search_by_key(&tool, position).ok().and_then(|at| postings.get(at))
    };
    let worths = concept.meanings.iter().filter_map(|(term, share)| {
        let posting = posting_of(*term)?;
        Some((posting, worth(posting, weight(concept, *share))))
    });
    let (posting, points) = worths.reduce(|best, next| if next.1 > best.1 { next } else { best })?;
    let what = index.written(posting).to_owned();
    let said = (what != concept.said).then(|| concept.said.clone());
    Some(Reason { part: posting.part, what, said, points })
}

/// Keywords and patterns: tools, and what they are given.
fn wholes(question: &Question<'_>, tools: usize) -> Vec<(usize, u32)> {
    let mut given = Vec::new();
    let mut counted = vec![0_usize; tools];
    for tool in question.phrases.iter().flat_map(|phrase| &phrase.tools) {
        if let Some(count) = counted.get_mut(*tool).filter(|count| **count < PHRASES_COUNTED) {
            *count = count.saturating_add(1);
            given.push((*tool, PHRASE_POINTS));
        }
    }
    let mut matched: Vec<usize> = question.patterns.iter().flat_map(|found| found.tools).copied().collect();
    matched.sort_unstable();
    matched.dedup();
    given.extend(matched.into_iter().map(|tool| (tool, PATTERN_POINTS)));
    given
}

/// Fields for values that were said: field, kind, points.
fn values<'a>(question: &'a Question<'_>, tool: &'a Tool) -> impl Iterator<Item = (&'a str, &'static str, u32)> {
    let said = tool.fields.iter().filter(|(kind, _)| question.kinds.contains(kind));
    said.map(|(kind, field)| (field.as_str(), kind.label(), VALUE_POINTS))
}

/// By term: how much of it was said, in thousandths.
fn said_shares(index: &Index, question: &Question<'_>) -> Vec<u32> {
    let mut said = vec![0_u32; index.rarities.len()];
    for concept in &question.concepts {
        let whole = concept.weight_milli.min(1_000);
        for (term, share) in &concept.meanings {
            if let Some(most) = said.get_mut(*term) {
                *most = (*most).max(share.saturating_mul(whole).div_euclid(1_000));
            }
        }
    }
    said
}

/// For a name of which much was said: a share of what the name tells, less the more is missing.
fn whole_name(index: &Index, tool: &Tool, said: &[u32]) -> u32 {
    let told = tool.name_terms.iter().map(|term| {
        let share = said.get(*term).copied().unwrap_or_default();
        u64::from(index.rarity(*term)).saturating_mul(u64::from(share)).div_euclid(1_000)
    });
    let told = told.fold(0_u64, u64::saturating_add);
    let squared = told.saturating_mul(told).checked_div(u64::from(tool.name_rarity)).unwrap_or_default();
    u32::try_from(squared.saturating_mul(WHOLE_NAME_MILLI).div_euclid(1_000)).unwrap_or(u32::MAX)
}

fn position(posting: &Posting) -> usize {
    usize::try_from(posting.tool).unwrap_or(usize::MAX)
}

fn add(sums: &mut [u32], tool: usize, points: u32) {
    if let Some(sum) = sums.get_mut(tool) {
        *sum = sum.saturating_add(points);
    }
}
