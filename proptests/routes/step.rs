//! The crate's side of it: names for numbers, a store that counts, and the two ways through it step by step.

use super::event::{BODIES, By, KEYS, Kind, ROOMS, Who};
use super::said::{Answer, Asked, Calls, Frozen, Over, Try};
use super::secret;
use core::convert::Infallible;
use core::error::Error as _;
use parley_grants::routes::{
    Attempt, Controls, Delivered, Delivery, Handed, Issue, Issued, MemoryStore, PlatformPause, Posture,
    Record, Redeemed, Redemption, Role, RoomPolicy, Route, RouteDigest, Scope, Step, Store, Terms, Used,
    Work,
};
use std::sync::LazyLock;

pub const ROOM_NAMES: [&str; ROOMS as usize] = ["r-0", "r-1"];

pub fn scope(who: Who) -> &'static Scope {
    static TABLE: LazyLock<Vec<Scope>> = LazyLock::new(|| {
        let scope = |who: Who| {
            let agent = format!("a-{}", who.agent);
            // Sessions of two agents have the same names.
            who.session.map_or_else(
                || Scope::agent(&agent),
                |session| Scope::session(&agent, &format!("s-{session}")),
            )
        };
        (0..Who::ALL).map(|number| scope(Who::numbered(number))).collect()
    });
    &TABLE[who.number()]
}

/// The number in a name.
pub fn number<T: core::str::FromStr>(name: &str) -> T {
    name.get(2..).and_then(|number| number.parse().ok()).unwrap_or_else(|| panic!("a name: {name:?}"))
}

fn who(scope: &Scope) -> Who {
    Who { agent: number(&scope.agent), session: scope.session.as_deref().map(number) }
}

pub fn frozen(message: &str, terms: &Terms) -> Frozen {
    Frozen {
        message: number(message),
        room: number(&terms.room),
        recipient: who(&terms.recipient),
        target: who(&terms.target),
        generation: terms.generation,
        hop: terms.hop,
        lineage: number(&terms.lineage),
        crosses: terms.cross_principal,
        expires: terms.expires,
    }
}

pub const fn controls(over: Over) -> Controls {
    Controls {
        platform: PlatformPause::recorded(over.paused),
        room: RoomPolicy::recorded(over.reactive, over.generation),
    }
}

pub const fn posture(manual: bool) -> Posture {
    if manual { Posture::Manual } else { Posture::Reactive }
}

pub const fn role(by: By) -> Role {
    match by {
        By::Platform => Role::PlatformAdministrator,
        By::RoomOwner => Role::RoomOwner,
        By::AgentOwner => Role::AgentOwner,
        By::Agent => Role::Agent,
        By::Other => Role::Other,
    }
}

pub fn attempt(attempt: &Try) -> Attempt<'static> {
    Attempt {
        route: secret::presented(attempt.secret, attempt.text),
        room: ROOM_NAMES[usize::from(attempt.room)],
        scope: scope(attempt.by),
        authority: attempt.authority,
        key: KEYS[usize::from(attempt.key)],
        body: BODIES[usize::from(attempt.body)],
    }
}

pub fn delivery<'d>(asked: &Asked, message: &'d str, lineage: &'d str) -> Delivery<'d> {
    Delivery {
        message,
        room: ROOM_NAMES[usize::from(asked.what.room)],
        kind: match asked.what.kind {
            Kind::Direct => parley_grants::routes::Kind::Direct,
            Kind::Broadcast => parley_grants::routes::Kind::Broadcast,
            Kind::Unaddressed => parley_grants::routes::Kind::Unaddressed,
        },
        hop: asked.what.hop,
        lineage,
        author: scope(asked.what.author),
        recipient: scope(asked.recipient),
        cross_principal: asked.what.author.principal() != asked.recipient.principal(),
        admitted: asked.gates.admitted,
        moderated: asked.gates.moderated,
        alive: asked.gates.alive,
        duplicate: asked.duplicate,
        retention_end: asked.what.ends,
    }
}

/// The answer, with what the operator is told of it, and all that a caller can see of it.
pub fn answer(redemption: Redemption) -> (Answer, String) {
    let seen = format!("{redemption:?} {redemption:#?}");
    let audit = redemption.audit();
    match redemption.into_answer() {
        Ok(Redeemed::First(first)) => (Answer::First(frozen(&first.answers, &first.terms)), seen),
        Ok(Redeemed::Replay(receipt)) => (Answer::Replay(number(&receipt)), seen),
        Err(refusal) => {
            let code = audit.expect("the operator knows why").reason.code();
            (Answer::Refused(code), format!("{seen} {refusal:?} {refusal} {:?}", refusal.source().is_some()))
        }
    }
}

/// A store that counts what is asked of it.
pub struct Counted {
    pub inner: MemoryStore,
    pub calls: Calls,
}

impl Store for Counted {
    type Error = Infallible;

    fn find(&mut self, digest: &RouteDigest) -> Result<Option<Record>, Infallible> {
        self.calls.find += 1;
        self.inner.find(digest)
    }

    fn issue(&mut self, issue: &Issue<'_>) -> Result<Issued, Infallible> {
        self.calls.issue += 1;
        self.inner.issue(issue)
    }

    fn consume(&mut self, digest: &RouteDigest, used: &Used) -> Result<bool, Infallible> {
        self.calls.consume += 1;
        self.inner.consume(digest, used)
    }
}

/// What `deliver` does, written once more as for a store far away; and what is to be seen of the issue.
pub fn deliver(
    store: &mut Counted,
    delivery: &Delivery<'_>,
    over: Over,
    manual: bool,
    random: &[u8; 32],
) -> (Delivered, String) {
    let terms = match delivery.decide(&controls(over), posture(manual), over.now) {
        Work::None => return (Delivered::None, String::new()),
        Work::Held => return (Delivered::Held, String::new()),
        Work::Turn(None) => return (Delivered::Turn(without()), String::new()),
        Work::Turn(Some(terms)) => terms,
    };
    let route = Route::from_random(random);
    let issue = Issue {
        message: delivery.message,
        retention_end: delivery.retention_end,
        digest: route.digest(),
        terms: &terms,
        now: over.now,
    };
    let shown = format!("{issue:?} {route:?} {:?}", route.text());
    let Ok(issued) = store.issue(&issue);
    let delivered = match issued {
        Issued::Open => {
            let handed = Handed::received(Some(route.text().expose()), terms.remaining().into());
            Delivered::Turn(handed.expect("what a server sends"))
        }
        Issued::Answered => Delivered::Answered,
        Issued::Refused => Delivered::Refused,
    };
    (delivered, shown)
}

fn without() -> Handed {
    Handed::received(None, 0).expect("what a server sends")
}

/// What `redeem` does, likewise.
pub fn redeem(store: &mut Counted, attempt: &Attempt<'_>, over: Over, receipt: &str) -> Redemption {
    let Ok(record) = store.find(&attempt.route.digest());
    match attempt.decide(record.as_ref(), &controls(over), over.now) {
        Step::Done(redemption) => redemption,
        Step::Consume(consume) => {
            let Ok(is_first) = store.consume(consume.digest(), &consume.used(receipt));
            if is_first {
                return consume.won();
            }
            let Ok(record) = store.find(consume.digest());
            consume.lost(record.as_ref())
        }
    }
}
