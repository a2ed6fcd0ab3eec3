//! The same without the crate: one stage for each proposal.

use super::process::Told;
use super::{COSTS, LIMITS};

/// How far the attempt at a proposal has come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Stage {
    /// Nobody has begun, or all of it was taken back.
    #[default]
    Free,
    Claimed,
    Held,
    Executed,
    Settled,
    Released,
    Done,
}

#[derive(Default)]
pub struct Naive(pub [Stage; COSTS.len()]);

impl Naive {
    pub fn is_executed(&self, index: usize) -> bool {
        matches!(self.0[index], Stage::Executed | Stage::Settled | Stage::Done)
    }

    pub fn total(&self) -> u64 {
        let counts = |index: &usize| self.is_executed(*index) || self.0[*index] == Stage::Held;
        (0..COSTS.len()).filter(counts).map(|index| COSTS[index]).sum()
    }

    pub fn fits(&self, index: usize) -> bool {
        self.total() + COSTS[index] <= LIMITS[1]
    }

    /// With so many steps before the crash; `None` is a crash.
    pub fn commit(&mut self, index: usize, fails: bool, steps: Option<u32>) -> Option<Told> {
        let mut left = steps.unwrap_or(u32::MAX);
        let mut step = || {
            let is_alive = left > 0;
            left = left.saturating_sub(1);
            is_alive.then_some(())
        };
        step()?;
        match self.0[index] {
            Stage::Free => self.0[index] = Stage::Claimed,
            Stage::Done => return Some(Told::Done),
            _ => return Some(Told::InProgress),
        }
        step()?;
        let fits = self.fits(index);
        if fits {
            self.0[index] = Stage::Held;
        }
        step()?;
        if fits && !fails {
            self.0[index] = Stage::Executed;
            step()?;
        }
        self.end(index, &mut step)?;
        Some(match (fits, fails) {
            (false, _) => Told::Refused("consent_required"),
            (true, true) => Told::Failed,
            (true, false) => Told::Executed,
        })
    }

    pub fn end(&mut self, index: usize, step: &mut impl FnMut() -> Option<()>) -> Option<()> {
        self.0[index] = match self.0[index] {
            Stage::Executed => Stage::Settled,
            Stage::Claimed | Stage::Held => Stage::Released,
            ended => ended,
        };
        step()?;
        self.0[index] = match self.0[index] {
            Stage::Settled => Stage::Done,
            Stage::Released => Stage::Free,
            ended => ended,
        };
        step()
    }
}
