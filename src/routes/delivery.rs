//! What is to be done with one message for one recipient (C2, C4).

use super::controls::{Controls, Posture};
use super::terms::{LAST_HOP, LONGEST, Scope, Terms};
use alloc::string::String;

/// How a message names its readers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// To this recipient.
    Direct,
    /// To everybody in the room.
    Broadcast,
    /// To nobody in particular.
    Unaddressed,
}

/// One message, for one recipient, as the server sees both right now.
#[derive(Clone, Copy, Debug)]
pub struct Delivery<'d> {
    /// The message's id in its room. With room and recipient, it is what a route is the only one for.
    pub message: &'d str,
    /// The room's id.
    pub room: &'d str,
    /// How the message names its readers.
    pub kind: Kind,
    /// 0 for a message that starts a lineage, else the hop of the route whose redemption made it.
    pub hop: i64,
    /// The lineage's id.
    pub lineage: &'d str,
    /// Who wrote it.
    pub author: &'d Scope,
    /// Who is to receive it. A direct message is for one scope: handed over to several, each of them gets a route, and the replies
    /// of each go on by themselves.
    pub recipient: &'d Scope,
    /// Do the two act for different principals?
    pub cross_principal: bool,
    /// Is the author admitted to the room, and the message with it?
    pub admitted: bool,
    /// Did moderation let it pass?
    pub moderated: bool,
    /// Is it still there, and the recipient too?
    pub alive: bool,
    /// Was it delivered to and handled by this recipient before?
    pub duplicate: bool,
    /// When the message will be deleted, in unix seconds.
    pub retention_end: i64,
}

/// What is to be done with it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use]
pub enum Work {
    /// It is no reactive work: not direct, to its own author, handled before, not admitted, not moderated, not alive, or beyond the
    /// last hop. Whether that can change, as when a moderation is pending, is the server's to know.
    None,
    /// A control stands in the way. The message is neither acknowledged nor dropped nor skipped; it is asked about anew when
    /// controls change.
    Held,
    /// The recipient may act on it. With terms, it is to be handed over with a fresh route of these terms, if the store
    /// [issues](super::Store::issue) one; without, it cannot be answered.
    Turn(Option<Terms>),
}

impl Delivery<'_> {
    /// Decides at `now`, in unix seconds (C4). The gates of the message are asked before the controls, so what is no work is never
    /// held.
    pub fn decide(&self, controls: &Controls, posture: Posture, now: i64) -> Work {
        if !self.is_work() {
            return Work::None;
        }
        let closed = controls.platform.is_on() || !controls.room.is_reactive();
        if posture == Posture::Manual || (self.cross_principal && closed) {
            return Work::Held;
        }
        Work::Turn(self.terms(controls.room.generation(), now))
    }

    /// Every gate of the message.
    fn is_work(&self) -> bool {
        self.kind == Kind::Direct
            && self.author.agent != self.recipient.agent
            && !self.duplicate
            && self.admitted
            && self.moderated
            && self.alive
            && (0..=LAST_HOP).contains(&self.hop)
    }

    /// The terms of the way back, unless this is the last hop or they would be over already.
    fn terms(&self, generation: u64, now: i64) -> Option<Terms> {
        let hop = self.hop.checked_add(1).filter(|hop| *hop <= LAST_HOP)?;
        // Past the end of i64 there is no time, so the end of the message is the earlier one.
        let expires = now.saturating_add(LONGEST).min(self.retention_end);
        (now < expires).then(|| Terms {
            room: String::from(self.room),
            recipient: self.recipient.clone(),
            target: self.author.clone(),
            generation,
            hop,
            lineage: String::from(self.lineage),
            cross_principal: self.cross_principal,
            expires,
        })
    }
}

impl Terms {
    /// How many replies are left of the lineage for who holds this route: 16 on a message of hop 0, 1 on one of hop 15 (C2), and 0
    /// for a hop that no route has.
    #[must_use]
    pub fn remaining(&self) -> u8 {
        if !(1..=LAST_HOP).contains(&self.hop) {
            return 0;
        }
        // A route's hop is one more than that of the message it came with.
        u8::try_from(LAST_HOP.saturating_sub(self.hop).saturating_add(1)).unwrap_or_default()
    }
}
