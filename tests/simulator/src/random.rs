//! The one source of choices: SplitMix64, so that a seed is a run on every machine.

/// A seeded generator.
#[derive(Clone)]
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Random {
        Random(seed)
    }

    pub fn draw(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Below `n`.
    pub fn below(&mut self, n: usize) -> usize {
        usize::try_from(self.draw() % n.max(1) as u64).expect("below a usize")
    }

    /// True this often in a thousand.
    pub fn chance(&mut self, in_thousand: usize) -> bool {
        self.below(1000) < in_thousand
    }

    pub fn pick<'a, T>(&mut self, items: &'a [T]) -> Option<&'a T> {
        if items.is_empty() { None } else { items.get(self.below(items.len())) }
    }

    pub fn bytes(&mut self) -> [u8; 16] {
        let mut bytes = [0; 16];
        bytes[..8].copy_from_slice(&self.draw().to_le_bytes());
        bytes[8..].copy_from_slice(&self.draw().to_le_bytes());
        bytes
    }
}
