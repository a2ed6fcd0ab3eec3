//! Tells `story.txt` against a running server: `client ADDRESS REVOKED-FILE`.

#[path = "../tests/common/http.rs"]
mod http;

use parley_grants::issue::{self, Seed};
use parley_grants::{
    Amount, BlockId, Caveat, ConsentRequest, Error, Proposal, PublicKey, ReservationId, Risk, Verb, Verifier,
};
use serde_json::{Value, json};
use std::io::Write as _;

const SHOP: &str = "shop.example";
const NOW: i64 = 1_790_000_000;

struct Story {
    address: String,
    revoked: String,
    chapters: u32,
    frames: u32,
}

struct Agent {
    name: &'static str,
    seed: Seed,
    grants: Vec<String>,
}

impl Agent {
    fn new(name: &'static str, byte: u8) -> Result<Self, Error> {
        Ok(Self { name, seed: Seed::from_bytes(&[byte; 32])?, grants: Vec::new() })
    }

    fn key(&self) -> &PublicKey {
        self.seed.public_key()
    }

    fn proof(&self, verb: Verb, target: &str) -> Result<Value, Error> {
        Ok(read(&issue::prepare_proof(self.key(), SHOP, verb, target, NOW)?.sign(&self.seed)?))
    }
}

fn read(text: &str) -> Value {
    serde_json::from_str(text).expect("JSON")
}

fn text(value: &Value) -> &str {
    value.as_str().expect("a text")
}

fn parse(proposal: &Value) -> Result<Proposal, Error> {
    Proposal::parse(proposal.to_string().as_bytes())
}

fn euro(cents: u64) -> Amount {
    Amount::new(cents, "EUR").expect("an amount")
}

/// The ids of a grant's blocks, as the human's side sees them.
fn block_ids(grant: &str, human: &PublicKey) -> Result<Vec<BlockId>, Error> {
    let grant = Verifier::new(SHOP, vec![*human]).verify(grant)?;
    Ok(grant.grant().blocks().map(|block| *block.id()).collect())
}

impl Story {
    fn chapter(&mut self, title: &str) {
        self.chapters += 1;
        println!("{}{}. {title}", if self.chapters > 1 { "\n" } else { "" }, self.chapters);
    }

    fn exchange(&self, who: &str, path: &str, body: Option<&str>) -> http::Response {
        let (answer, method, said) = match body {
            Some(body) => {
                // The SHA-256 of the request.
                let digest = BlockId::from_bytes(*ReservationId::of(body).as_bytes());
                (http::post(&self.address, path, body), "POST", format!(" (request {digest})"))
            }
            None => (http::get(&self.address, path), "GET", String::new()),
        };
        println!("   {who}: {method} {path}{said}");
        answer.body.lines().for_each(|line| println!("   -> {} {line}", answer.status));
        answer
    }

    /// A frame without an id gets the next.
    fn send(&mut self, who: &str, path: &str, mut frame: Value) -> Result<(u16, Value), Error> {
        if frame.get("id").is_none() {
            self.frames += 1;
            frame["id"] = json!(format!("f-{}", self.frames));
        }
        frame["parley"] = json!(1);
        let body = parley_grants::canonicalize(frame.to_string().as_bytes())?;
        let answer = self.exchange(who, path, Some(&body));
        let lines: Vec<Value> = answer.body.lines().map(read).collect();
        let (last, events) = lines.split_last().expect("a line");
        assert_eq!(last["re"], frame["id"], "the last line answers the frame");
        assert!(events.iter().all(|event| event.get("event").is_some()));
        Ok((answer.status, last.clone()))
    }

    /// A frame with all grants and a proof for this target.
    fn call(
        &mut self,
        agent: &Agent,
        path: &str,
        verb: Verb,
        target: &str,
        more: Value,
    ) -> Result<(u16, Value), Error> {
        let mut frame = more;
        frame["verb"] = json!(verb.as_str());
        frame["proof"] = agent.proof(verb, target)?;
        if !agent.grants.is_empty() && verb != Verb::Expand && verb != Verb::Hello {
            frame["grants"] = json!(agent.grants);
        }
        self.send(agent.name, path, frame)
    }

    fn intent(&mut self, agent: &Agent, order: &str) -> Result<Value, Error> {
        let (_, answer) =
            self.call(agent, "/order/intent", Verb::Intent, "shop.order", json!({"order": order}))?;
        Ok(answer["proposals"][0].clone())
    }

    fn commit(&mut self, agent: &Agent, proposal: &Value) -> Result<(u16, Value), Error> {
        let hash = parley_grants::proposal_hash(proposal.to_string().as_bytes())?;
        let more = json!({"proposal": proposal["id"], "hash": hash});
        self.call(agent, "/order/commit", Verb::Commit, &hash, more)
    }

    fn undo(&mut self, agent: &Agent, receipt: &str) -> Result<(u16, Value), Error> {
        self.call(agent, "/order/undo", Verb::Undo, receipt, json!({"receipt": receipt}))
    }

    fn auto(&mut self, agent: &Agent, id: &str, order: &str) -> Result<(u16, Value), Error> {
        let draft = issue::prepare_auto_proof(agent.key(), SHOP, "shop.order", id, NOW)?;
        let proof = read(&draft.sign(&agent.seed)?);
        let frame = json!({
            "id": id, "verb": "INTENT", "grants": agent.grants, "proof": proof, "order": order, "auto": true,
        });
        self.send(agent.name, "/order/intent", frame)
    }

    /// A list replaces another by a rename: who reads finds the one or the other.
    fn revoke(&self, text: &str) {
        let new = format!("{}.new", self.revoked);
        let mut file = std::fs::File::create(&new).expect("a file");
        file.write_all(format!("{text}# end\n").as_bytes()).expect("written");
        file.sync_all().expect("on the disk");
        std::fs::rename(&new, &self.revoked).expect("renamed");
    }
}

fn main() -> Result<(), Error> {
    let mut arguments = std::env::args().skip(1);
    let (address, revoked) = (arguments.next().expect("an address"), arguments.next().expect("a file"));
    let mut story = Story { address, revoked, chapters: 0, frames: 0 };
    let human = Seed::from_bytes(&[1; 32])?;
    let mut agent = Agent::new("agent", 2)?;
    let mut helper = Agent::new("helper", 3)?;
    let mut stranger = Agent::new("stranger", 4)?;

    story.chapter("Anybody may ask who the shop is, and what it serves");
    story.exchange("anybody", "/.well-known/parley", None);
    story.send("anybody", "/hello", json!({"verb": "HELLO"}))?;
    story.call(&agent, "/hello", Verb::Hello, SHOP, json!({}))?;

    story.chapter("The human signs a policy; the agent reads the menu, and the rest of it by its handle");
    let policy = [
        Caveat::Service(vec![SHOP.into()]),
        Caveat::Capabilities(vec!["shop.*".into()]),
        Caveat::Expires(NOW + 86_400),
        Caveat::PerCommit(euro(3_000)),
        Caveat::Spend(euro(10_000)),
        Caveat::Risk(Risk::Low),
    ];
    let draft = issue::prepare_root(human.public_key(), agent.key(), &policy, NOW, "a policy")?;
    let policy = draft.sign(&human)?;
    println!("   human: grants {}", block_ids(&policy, human.public_key())?[0]);
    agent.grants.push(policy.clone());
    let (_, menu) = story.call(&agent, "/menu/ask", Verb::Ask, "shop.menu", json!({}))?;
    let handle = text(&menu["more"]);
    for who in [&agent, &helper] {
        story.call(who, "/expand", Verb::Expand, handle, json!({"handle": handle}))?;
    }

    story.chapter("Without a grant");
    story.send("anybody", "/gift/intent", json!({"verb": "INTENT", "order": "cups"}))?;
    agent.grants.clear();
    story.intent(&agent, "cups")?;
    agent.grants.push(policy.clone());
    story.send("anybody", "/order/intent", json!({"verb": "INTENT", "order": "beans"}))?;

    story.chapter("An order within the policy; its answer was lost, so it is sent again");
    let cups = story.intent(&agent, "cups")?;
    let (_, first) = story.commit(&agent, &cups)?;
    let (_, again) = story.commit(&agent, &cups)?;
    assert_eq!(again["receipt"], first["receipt"]);

    story.chapter("An order beyond the policy: the human is asked, and says yes to just this");
    let machine = story.intent(&agent, "machine")?;
    let (status, asked) = story.commit(&agent, &machine)?;
    assert_eq!((status, text(&asked["kind"])), (402, "consent_required"));
    let request = ConsentRequest::parse(asked["consent"].to_string().as_bytes())?;
    let (other, machine_proposal) = (parse(&cups)?, parse(&machine)?);
    // Only what was really received may be shown to the human, and signed.
    let Err(error) = request.matched(&other, SHOP, human.public_key()) else {
        panic!("it is about the machine")
    };
    let differs = match error.kind() {
        parley_grants::ErrorKind::Field(member) => member,
        kind => panic!("{kind:?}"),
    };
    println!("   agent: compared with the cups: another {differs}");
    let matched = request.matched(&machine_proposal, SHOP, human.public_key())?;
    println!("   human: consents to {}", matched.proposal().terms().hash());
    let consent = issue::prepare_matched_consent(&matched, agent.key(), NOW, "one machine")?.sign(&human)?;
    agent.grants.push(consent);
    let (_, first) = story.commit(&agent, &machine)?;
    let (_, again) = story.commit(&agent, &machine)?;
    assert_eq!(again["receipt"], first["receipt"]);
    let both = std::mem::replace(&mut agent.grants, vec![policy.clone()]);
    let second = story.intent(&agent, "machine")?;
    agent.grants = both;
    let (status, _) = story.commit(&agent, &second)?;
    assert_eq!(status, 402);
    agent.grants.truncate(1);

    story.chapter("An undo, once more, and one of what there is not");
    story.undo(&agent, text(&first["receipt"]))?;
    story.undo(&agent, text(&first["receipt"]))?;
    story.undo(&agent, "r-unknown")?;

    story.chapter("A narrower grant for a helper");
    let narrower = [Caveat::Capabilities(vec!["shop.order".into()]), Caveat::Spend(euro(2_000))];
    let held = Verifier::new(SHOP, vec![*human.public_key()]).verify(&policy)?;
    let handed = issue::prepare_delegation(&held, helper.key(), &narrower, NOW)?.sign(&agent.seed)?;
    let block = block_ids(&handed, human.public_key())?[1];
    println!("   agent: hands on {block}");
    helper.grants.push(handed);
    for _ in 0..2 {
        let cups = story.intent(&helper, "cups")?;
        story.commit(&helper, &cups)?;
    }
    story.call(&helper, "/gift/intent", Verb::Intent, "shop.gift", json!({"order": "cups"}))?;

    story.chapter("Somebody else's grant, somebody else's proposal, another hash");
    stranger.grants.push(policy);
    story.intent(&stranger, "cups")?;
    let beans = story.intent(&agent, "beans")?;
    story.commit(&helper, &beans)?;
    let mut unknown = beans.clone();
    unknown["id"] = json!("p-unknown");
    story.commit(&helper, &unknown)?;
    let hash = other.terms().hash();
    let more = json!({"proposal": beans["id"], "hash": hash});
    story.call(&agent, "/order/commit", Verb::Commit, hash, more)?;

    story.chapter("In one round trip, where that needs nobody's consent; a repeat gets the first answer");
    for (id, order) in [("auto-1", "cups"), ("auto-1", "cups"), ("auto-2", "machine"), ("auto-2", "machine")]
    {
        story.auto(&agent, id, order)?;
    }

    story.chapter("The helper's block is revoked. Then, for a moment, everything is");
    story.revoke(&format!("{block}\n"));
    story.intent(&helper, "filter")?;
    story.commit(&agent, &cups)?;
    story.revoke("everything\n");
    story.commit(&agent, &cups)?;
    story.revoke("# nothing\n");
    story.commit(&agent, &cups)?;
    Ok(())
}
