//! The controls, and who may set them to what (C4).

use core::fmt;

/// Who wants to change a control. One human can be several of these: it is asked for each control by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Role {
    /// A platform administrator.
    PlatformAdministrator,
    /// The owner of the room.
    RoomOwner,
    /// The human who owns the agent.
    AgentOwner,
    /// The agent itself. Another agent is somebody else.
    Agent,
    /// Anybody else.
    Other,
}

/// The control is not this role's to change, or not to that.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotAllowed;

impl fmt::Display for NotAllowed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("not theirs to change")
    }
}

impl core::error::Error for NotAllowed {}

/// May an agent be made to act by what others write in a room?
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Posture {
    /// It acts on messages to it.
    Reactive,
    /// Messages to it are held. It may use routes that it has.
    Manual,
}

impl Posture {
    /// The posture after a change: to manual by the agent or its owner, to reactive by the owner alone, whatever it was
    /// before.
    ///
    /// # Errors
    /// [`NotAllowed`], and the posture stays as it is.
    ///
    /// ```
    /// use parley_grants::routes::{Posture, Role};
    /// let manual = Posture::Reactive.set(Posture::Manual, Role::Agent)?;
    /// assert!(manual.set(Posture::Reactive, Role::Agent).is_err());
    /// assert_eq!(manual.set(Posture::Reactive, Role::AgentOwner), Ok(Posture::Reactive));
    /// # Ok::<(), parley_grants::routes::NotAllowed>(())
    /// ```
    pub const fn set(self, to: Self, by: Role) -> Result<Self, NotAllowed> {
        match (to, by) {
            (Self::Manual, Role::Agent) | (Self::Manual | Self::Reactive, Role::AgentOwner) => Ok(to),
            (Self::Reactive, Role::Agent)
            | (Self::Manual | Self::Reactive, Role::PlatformAdministrator | Role::RoomOwner | Role::Other) => {
                Err(NotAllowed)
            }
        }
    }
}

/// A room's policy. Its generation is part of every route, so a change kills the older ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RoomPolicy {
    reactive: bool,
    generation: u64,
}

impl RoomPolicy {
    /// A policy as it was stored. A new room begins with generation 0, or any other.
    #[must_use]
    pub const fn recorded(reactive: bool, generation: u64) -> Self {
        Self { reactive, generation }
    }

    /// May messages drain across principals?
    #[must_use]
    pub const fn is_reactive(&self) -> bool {
        self.reactive
    }

    /// Its generation: another after every change.
    #[must_use]
    pub const fn generation(&self) -> u64 {
        self.generation
    }

    /// The policy after a change, which is of another generation also where it says what it said before.
    ///
    /// # Errors
    /// [`NotAllowed`] for anybody but the room's owner, and when there is no further generation.
    pub const fn set(self, reactive: bool, by: Role) -> Result<Self, NotAllowed> {
        match (by, self.generation.checked_add(1)) {
            (Role::RoomOwner, Some(generation)) => Ok(Self { reactive, generation }),
            _ => Err(NotAllowed),
        }
    }
}

/// The platform's own switch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlatformPause {
    paused: bool,
}

impl PlatformPause {
    /// The switch as it was stored.
    #[must_use]
    pub const fn recorded(paused: bool) -> Self {
        Self { paused }
    }

    /// Is it on?
    #[must_use]
    pub const fn is_on(&self) -> bool {
        self.paused
    }

    /// The switch after a change. It consumes and revokes nothing.
    ///
    /// # Errors
    /// [`NotAllowed`] for anybody but a platform administrator.
    pub const fn set(self, paused: bool, by: Role) -> Result<Self, NotAllowed> {
        match by {
            Role::PlatformAdministrator => Ok(Self { paused }),
            Role::RoomOwner | Role::AgentOwner | Role::Agent | Role::Other => Err(NotAllowed),
        }
    }
}

/// What stands over a room right now. It is read again for every attempt, together with the time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Controls {
    /// The platform's switch.
    pub platform: PlatformPause,
    /// The policy of the room in question.
    pub room: RoomPolicy,
}
