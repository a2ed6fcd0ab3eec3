//! SplitMix64: the same numbers for the same seed, on every machine.

pub struct Random(u64);

impl Random {
    pub const fn from(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15))
    }

    pub const fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub const fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound
    }

    pub fn of<T: Clone>(&mut self, list: &[T]) -> T {
        let index = self.below(list.len() as u64) as usize;
        list[index].clone()
    }
}
