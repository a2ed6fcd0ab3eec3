//! How the story is told: what is asked, and what must be answered.

use crate::ORDER;
use crate::agent::Agent;
use crate::shop::{Reply, Shop};
use crate::store::Remote;
use parley_grants::{Amount, Error, MemoryClaims, Proposal, Verb};

/// Tells the story on the terminal.
pub struct Story {
    pub shop: Shop<Remote, MemoryClaims>,
    pub now: i64,
    pub step: u32,
}

impl Story {
    pub fn chapter(&mut self, title: &str) {
        self.step += 1;
        println!("\n{}. {title}", self.step);
        self.now += 10;
    }

    /// Tells what was answered, which must be this.
    pub fn answer(&self, who: &str, asked: &str, reply: &Reply, expected: &Reply) {
        let told = match reply {
            Reply::Proposals(texts) => {
                let about =
                    |text: &String| Proposal::parse(text.as_bytes()).map(|proposal| in_brief(&proposal));
                let briefs: Vec<String> = texts.iter().filter_map(|text| about(text).ok()).collect();
                format!("proposals: {}", briefs.join("; "))
            }
            Reply::Receipt(id) => format!("receipt {id}"),
            Reply::Details(text) => format!("details: {text}"),
            Reply::Undone => "undone".into(),
            Reply::Refused(code) => (*code).into(),
            Reply::Consent(_) => "consent_required".into(),
            Reply::Busy => "busy".into(),
        };
        println!("   {who}: {asked} -> {told}");
        assert_eq!(reply, expected, "{who}: {asked}");
    }

    pub fn commit(
        &mut self,
        (who, agent): (&str, &Agent),
        proposal: &Proposal,
        expected: &Reply,
    ) -> Result<(), Error> {
        let terms = proposal.terms();
        let call = agent.call(Verb::Commit, terms.hash(), self.now)?;
        let reply = self.shop.commit(terms.id(), terms.hash(), &call, self.now);
        self.answer(who, &format!("COMMIT {}", terms.id()), &reply, expected);
        Ok(())
    }

    /// An order that only the human can allow; gives the consent request.
    pub fn ask(&mut self, (who, agent): (&str, &Agent), proposal: &Proposal) -> Result<String, Error> {
        let terms = proposal.terms();
        let call = agent.call(Verb::Commit, terms.hash(), self.now)?;
        let reply = self.shop.commit(terms.id(), terms.hash(), &call, self.now);
        self.answer(who, &format!("COMMIT {}", terms.id()), &reply, &reply);
        let Reply::Consent(request) = reply else { panic!("{who} was not asked for consent: {reply:?}") };
        Ok(request)
    }

    pub fn undo(
        &mut self,
        (who, agent): (&str, &Agent),
        receipt: &str,
        expected: &Reply,
    ) -> Result<(), Error> {
        let call = agent.call(Verb::Undo, receipt, self.now)?;
        let reply = self.shop.undo(receipt, &call, self.now);
        self.answer(who, &format!("UNDO {receipt}"), &reply, expected);
        Ok(())
    }

    /// An INTENT, answered with cups and a machine.
    pub fn intent(&mut self, (who, agent): (&str, &Agent)) -> Result<(Proposal, Proposal), Error> {
        let call = agent.call(Verb::Intent, ORDER, self.now)?;
        let reply = self.shop.intent(ORDER, &call, self.now);
        self.answer(who, &format!("INTENT {ORDER}"), &reply, &reply);
        let Reply::Proposals(texts) = reply else { panic!("{who} got no proposals: {reply:?}") };
        let [cups, machine] = texts.as_slice() else { panic!("there are two: {texts:?}") };
        Ok((Proposal::parse(cups.as_bytes())?, Proposal::parse(machine.as_bytes())?))
    }

    /// The reason of the last refusal, as the shop's own log has it.
    pub fn logged(&self, what: &str) {
        let last = self.shop.log.last().map_or("", String::as_str);
        assert!(last.contains(what), "logged: {last}");
        last.lines().for_each(|line| println!("     log: {line}"));
    }
}

fn in_brief(proposal: &Proposal) -> String {
    let terms = proposal.terms();
    let cost = terms.cost().map_or(0, Amount::minor);
    format!("{} {:?} for {cost} EUR cents", terms.id(), terms.summary())
}
