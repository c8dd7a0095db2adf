//! How much a word tells, in whole numbers: a float's logarithm may differ in its last bit from one machine to another, and
//! with it the offer.

/// ln(2) in parts of 2^16.
const LN_2: u64 = 45_426;
const FRACTION_BITS: u32 = 16;

/// 1,000 × ln((2 × all + 2) / (2 × with + 1)): what a word tells that `with` of `all` tools have. Rounded down, 0 at least.
pub(super) fn rarity_milli(all: usize, with: usize) -> u32 {
    let [all, with] = [all, with].map(|count| u64::try_from(count).unwrap_or(u64::MAX).min(1 << 40));
    let above = log2(all.saturating_mul(2).saturating_add(2));
    let below = log2(with.saturating_mul(2).saturating_add(1));
    let milli = (above.saturating_sub(below).saturating_mul(LN_2) >> FRACTION_BITS).saturating_mul(1_000);
    u32::try_from(milli >> FRACTION_BITS).unwrap_or(u32::MAX)
}

/// log2 of a number from 1 in parts of 2^16, digit by digit.
fn log2(number: u64) -> u64 {
    let whole = number.max(1).ilog2();
    // As 1.x in parts of 2^32: squaring it doubles the logarithm, and a 2 before the point is the next digit.
    let mut scaled = u128::from(number.max(1)) << 32 >> whole;
    let mut digits = u64::from(whole);
    for _ in 0..FRACTION_BITS {
        scaled = scaled.saturating_mul(scaled) >> 32;
        let digit = u64::from(scaled >> 33 != 0);
        scaled >>= digit;
        digits = digits << 1 | digit;
    }
    digits
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_the_logarithm() {
        for (all, with) in [(1, 1), (10, 1), (1_096, 1), (1_096, 7), (1_096, 500), (1_500, 1_500), (0, 0), (3, 9)] {
            let exact = 1_000.0 * ((2.0 * all as f64 + 2.0) / (2.0 * with as f64 + 1.0)).ln();
            let found = f64::from(rarity_milli(all, with));
            assert!((found - exact.max(0.0)).abs() <= 1.5, "{all} {with}: {found} {exact}");
        }
        assert!(rarity_milli(usize::MAX, 0) < 100_000);
    }
}
