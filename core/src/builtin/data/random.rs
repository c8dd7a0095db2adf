//! Numbers that look like chance and are the same everywhere: `SplitMix64`, seeded by a name.

pub struct Random(u64);

impl Random {
    pub fn new(name: &str) -> Random {
        Random(
            name.bytes()
                .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)),
        )
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// Below `limit`.
    pub fn below(&mut self, limit: u64) -> u64 {
        self.next().checked_rem(limit).unwrap_or(0)
    }

    /// Around nothing, mostly near it: within `reach` both ways.
    pub fn around(&mut self, reach: u64) -> i64 {
        let sum = (0..3).map(|_| self.below(reach.saturating_mul(2).saturating_add(1))).fold(0, u64::saturating_add);
        i64::try_from(sum.div_euclid(3)).unwrap_or(0).saturating_sub(i64::try_from(reach).unwrap_or(0))
    }

    /// One of them.
    pub fn one<T: Copy>(&mut self, of: &[T], otherwise: T) -> T {
        let index = usize::try_from(self.below(of.len() as u64)).unwrap_or(0);
        of.get(index).copied().unwrap_or(otherwise)
    }

    /// One of them, the first ones more often.
    pub fn mostly_first<T: Copy>(&mut self, of: &[T], otherwise: T) -> T {
        let count = of.len() as u64;
        let index = self.below(count).min(self.below(count));
        usize::try_from(index).ok().and_then(|index| of.get(index).copied()).unwrap_or(otherwise)
    }
}
