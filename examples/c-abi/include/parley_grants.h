// The verifier of Parley grants for C.
//
// POINTERS. A pointer is null, or to what its type says, and that stays as it is for the time of the call. Null where something is needed,
// and a number that is none of the constants for its place, are errors: nothing is followed and nothing happens. What cannot be found out,
// and is undefined: a pointer that is not null and points to nothing or to something else, a length or count that is larger than what
// is there, a handle that was freed or is another type's, the same place given for two results, and a place for a result that overlaps what
// is given.
//
// OWNERSHIP. What is given to a call is copied where it is needed for longer. Every handle and every pg_text that a call gives is the
// caller's, and is ended once by the _free of its type; handles do not depend on one another, and are freed in any order. A place for a
// result holds null after a call that did not give a handle, and nothing to be used after one that did not give a value.
//
// THREADS. No call keeps anything of its own, calls back or blocks, but for the short steps of a ledger or claim store in memory, under its
// lock. "any" means that any number of threads may be in such calls at once.
//
// REFUSALS. Only PG_ALLOWED allows. Whatever else a call that decides says, errors too, is a refusal: tell the agent "unauthorized" after
// an error.


#ifndef PARLEY_GRANTS_H
#define PARLEY_GRANTS_H

#include <stddef.h>
#include <stdint.h>

// The functions of features are there in a library that was built with them.


// The version that this header is of.
#define PG_VERSION 256

// What a call says. The numbers are stable, and none has two meanings: an error is no answer, an answer is no word of a ledger.
//
// Only PG_ALLOWED means that a request may be carried out. It is not 0, and PG_OK is never said by a call that decides.
enum pg_code
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
  // The call did what it is for. It says nothing about any request.
  PG_OK = 0,
  // A pointer that must not be null is, or one is not aligned for its type.
  PG_ERROR_NULL = 1,
  // A length or count that no memory can have.
  PG_ERROR_LENGTH = 2,
  // A text that is not UTF-8, where only one that is can be meant.
  PG_ERROR_UTF8 = 3,
  // A number that is none of the constants for its field.
  PG_ERROR_ENUM = 4,
  // The handle is past this call: its COMMIT is decided.
  PG_ERROR_STATE = 5,
  // A defect in the library. Nothing was decided; what the handle of a pending COMMIT was at is over.
  PG_ERROR_PANIC = 6,
  // An earlier defect left a ledger or claim store in an unknown state. It answers nothing more.
  PG_ERROR_POISONED = 7,
  // A text is not what it has to be: a key, a token, JSON, a proposal, a seed. Or a name or id is 32 zeros.
  PG_ERROR_INPUT = 8,
  // The decision or claim has no such part.
  PG_ABSENT = 9,
  // The request may be carried out.
  PG_ALLOWED = 100,
  // No valid grant of a trusted principal was presented by its proven holder.
  PG_UNAUTHORIZED = 101,
  // No, and nobody's consent would change it.
  PG_FORBIDDEN = 102,
  // The human may consent: send what pg_decision_consent gives.
  PG_CONSENT_REQUIRED = 103,
  // The hash that was sent is not the proposal's.
  PG_CONFLICT = 104,
  // The proposal's time is over.
  PG_EXPIRED = 105,
  // No auto-commit: show the proposals, as without auto.
  PG_REVIEW = 106,
  // The cost could not be counted. Nothing was done.
  PG_UNAVAILABLE = 107,
  // A COMMIT that waits for its ledger's word. It is not allowed.
  PG_PENDING = 110,
  // A ledger: the amount is counted under every line, and held.
  PG_RESERVED = 120,
  // A ledger: some line would go over its maximum. Nothing was counted.
  PG_EXCEEDED = 121,
  // A ledger: there is no room. Nothing was counted.
  PG_FULL = 122,
  // A ledger: the name is that of another demand, or of a reservation that has ended. Nothing was counted.
  PG_TAKEN = 123,
  // A reservation or claim was held, and has now ended. This is said once.
  PG_CLOSED = 130,
  // It is not held: it ended before, or never was. Nothing changed.
  PG_NOT_HELD = 131,
  // A claim store: nobody has claimed it. Go on, and end it by the ticket.
  PG_FIRST = 140,
  // A claim store: somebody has claimed it, and has not ended it.
  PG_IN_PROGRESS = 141,
  // A claim store: it has happened. Answer with the first answer.
  PG_DONE = 142,
  // A claim store: there is no room to remember it. It must not happen.
  PG_NO_ROOM = 143,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum pg_code pg_code;
#else
typedef uint32_t pg_code;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

// Whose INTENT made a proposal. No number of another kind, nor 0 or 1, is one of these.
enum pg_origin_kind
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
  // Nobody in particular asked for it: it can never be committed.
  PG_ORIGIN_ANONYMOUS = 21,
  // Asked for with the verified proof of `holder`, where the service wanted no grant: `holder` may commit it, under a grant of any
  // principal that the service trusts.
  PG_ORIGIN_WITHOUT_GRANT = 22,
  // Asked for with the verified proof of `holder` and a grant of `principal`: only they may commit it. The usual kind.
  PG_ORIGIN_WITH_GRANT = 23,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum pg_origin_kind pg_origin_kind;
#else
typedef uint32_t pg_origin_kind;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

// Whether the principal of a commit was written down. No number of another kind, nor 0 or 1, is one of these.
enum pg_commit_kind
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
  // A commit whose principal was not written down: nobody may undo it, and its holder gets the first answer again under a grant of
  // any principal that the service trusts.
  PG_COMMITTED_WITHOUT_PRINCIPAL = 31,
  // A commit with its principal: the usual kind.
  PG_COMMITTED_WITH_PRINCIPAL = 32,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum pg_commit_kind pg_commit_kind;
#else
typedef uint32_t pg_commit_kind;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

// Who may expand a handle. No number of another kind, nor 0 or 1, is one of these.
enum pg_owner_kind
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
  // Anyone who knows it: it was made for a request without a verified proof.
  PG_OWNER_ANYONE = 41,
  // Only this key: its verified proof was on the request that the handle was made for.
  PG_OWNER_KEY = 42,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum pg_owner_kind pg_owner_kind;
#else
typedef uint32_t pg_owner_kind;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

// How a request shows whose it is. No number of another kind, nor 0 or 1, is one of these.
enum pg_possession
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
  // Not at all.
  PG_POSSESSION_NONE = 11,
  // By the JSON text of a proof.
  PG_POSSESSION_PROOF = 12,
  // By the caller's word, with the text of a key: something else authenticated this very request as that key's. A wrong word is
  // a full break of every grant that the key holds.
  PG_POSSESSION_ASSUME_PROVEN = 13,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum pg_possession pg_possession;
#else
typedef uint32_t pg_possession;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

// Something that must happen once, and until when that is to be remembered: a time in unix seconds, not a span. One that is not after
// the time of the claim remembers nothing, so that every claim is the first.
typedef struct pg_claim pg_claim;

// A claim store in memory: lost with the process.
typedef struct pg_claims pg_claims;

// A decision: for one request, and not to be kept.
typedef struct pg_decision pg_decision;

// A grant whose signatures were verified, to be presented again.
typedef struct pg_grant pg_grant;

// A ledger in memory: lost with the process, and every total with it. A service that must keep its limits across a restart asks a
// ledger of its own with what pg_pending_demand gives.
typedef struct pg_ledger pg_ledger;

// A COMMIT that waits for its ledger's word: for the time of that question only, as clock, trust and revocation were asked when it
// was made.
typedef struct pg_pending pg_pending;

#if defined(PG_FEATURE_ISSUE)
// A signing key. It is wiped when it is freed, and cannot be read back.
typedef struct pg_seed pg_seed;
#endif

// A text that the caller owns: made by a call, ended by pg_text_free.
typedef struct pg_text pg_text;

// A service's verifier. It never changes: a service whose trust or revocations change makes another, lets new requests use it, and
// frees the old one when the last request that uses it has ended.
typedef struct pg_verifier pg_verifier;

// Bytes with their length; a text is UTF-8 and has no zero at its end. Where `length` is 0, `data` is not looked at, and is null in what
// the library gives.
typedef struct {
  const uint8_t *data;
  size_t length;
} pg_bytes;

// 32 bytes: the id of a block or grant, or the name of a reservation or claim.
typedef struct {
  uint8_t bytes[32];
} pg_id;

// Who claimed first: what ends a claim. It can be stored, so that the claim is ended after a crash too.
typedef struct {
  pg_id key;
  uint64_t turn;
} pg_ticket;

// A grant as it is presented: one that was kept, with no token; or the text of a token, with `kept` null.
typedef struct {
  const pg_grant *kept;
  pg_bytes token;
} pg_presentable;

// What came with a request, and when: the grants in the agent's order, the proof or key, and the service's time in unix seconds.
typedef struct {
  const pg_presentable *grants;
  size_t grant_count;
  // One of pg_possession.
  uint32_t possession;
  // The proof or the key; not looked at for PG_POSSESSION_NONE.
  pg_bytes possessed;
  int64_t now;
} pg_presented;

// Whose INTENT made a proposal, as it was stored beside it: the texts of pg_decision_holder and pg_decision_issuer of that INTENT. A
// text that is no key matches nobody.
typedef struct {
  // One of pg_origin_kind.
  uint32_t kind;
  // Not looked at for PG_ORIGIN_ANONYMOUS.
  pg_bytes holder;
  // Looked at only for PG_ORIGIN_WITH_GRANT.
  pg_bytes principal;
} pg_origin;

// One block under which a cost counts.
typedef struct {
  // The block under whose id it counts.
  pg_id block;
  // What the total must not pass, in minor units.
  uint64_t max;
  // Whether the total may be forgotten: 0 never, 1 from `forget_after` on.
  uint32_t forgets;
  // In unix seconds.
  int64_t forget_after;
} pg_spend_line;

// What a ledger is asked: count `amount` under every line, or under none, in one atomic step, and hold it under `id`. There may be no
// line; the reservation is kept all the same.
typedef struct {
  // The reservation's name.
  pg_id id;
  // The hash of the proposal: a name that was used for another one by mistake is found out by it.
  pg_bytes proposal;
  // The grant's id. Whoever holds a grant can append blocks, so a ledger bounds each grant by itself.
  pg_id grant;
  // Minor units, in the currency of every line.
  uint64_t amount;
  // The service's time, in unix seconds.
  int64_t now;
  const pg_spend_line *lines;
  size_t line_count;
} pg_demand;

// How much a ledger in memory may hold. What does not fit is refused.
typedef struct {
  // Grants under which something is counted or held (65,536).
  size_t grants;
  // Blocks that are counted under one grant (256).
  size_t blocks_per_grant;
  // Reservations that are held under one grant at a time (1,024).
  size_t held_per_grant;
  // Ended reservations that are remembered (65,536).
  size_t ended;
} pg_ledger_bounds;

// Who committed what, as it was stored with the receipt: the texts of pg_decision_holder, _issuer, _capability and _hash of the
// COMMIT that was allowed. A text that is no key matches nobody.
typedef struct {
  // One of pg_commit_kind.
  uint32_t kind;
  pg_bytes holder;
  // Not looked at for PG_COMMITTED_WITHOUT_PRINCIPAL.
  pg_bytes principal;
  pg_bytes capability;
  pg_bytes hash;
} pg_committed;

// Who may expand a handle, as it was stored with the handle. A text that is no key matches nobody.
typedef struct {
  // One of pg_owner_kind.
  uint32_t kind;
  // Not looked at for PG_OWNER_ANYONE.
  pg_bytes key;
} pg_owner;

// Bounds on the work that input may cause. They can only be lowered: more than the default counts as the default, so SIZE_MAX is the
// default. 0 is a bound of 0.
typedef struct {
  // Longest token, in bytes (64 KiB).
  size_t token_bytes;
  // Most blocks in a grant (16).
  size_t blocks;
  // Most caveats in a block (64).
  size_t caveats;
  // Most grants with a request (16).
  size_t grants;
  // Most nested arrays and objects (32).
  size_t depth;
  // Longest JSON text that is no token, in bytes (1 MiB).
  size_t json_bytes;
  // Longest text that a proof signs, in bytes (64 KiB).
  size_t proof_bytes;
} pg_limits;

// What a verifier is made of: the service's own id, the texts of the keys of the principals that it trusts, the ids of the blocks
// that it no longer honours, and limits, or null for the defaults.
typedef struct {
  pg_bytes service;
  const pg_bytes *principals;
  size_t principal_count;
  const pg_id *revoked;
  size_t revoked_count;
  const pg_limits *limits;
} pg_settings;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

// The bytes of a text, which live as long as it does; none for null.
//
// Threads: any, with others that read it.
pg_bytes pg_text_bytes(const pg_text *text);

// Ends a text; null is nothing to end.
//
// Threads: one, after all that read it.
void pg_text_free(pg_text *text);

#if defined(PG_FEATURE_CASES)
// The answer to a line of conformance cases. PG_ERROR_INPUT for a line that is none. Ended by pg_text_free.
//
// Threads: any, at any time.
pg_code pg_case_answer(pg_bytes line, pg_text **answer);
#endif

#if defined(PG_FEATURE_CASES)
// Panics inside the boundary: PG_ERROR_PANIC, whatever it panics with.
//
// Threads: any, at any time.
pg_code pg_case_panic(void);
#endif

// The execution of a proposal, by its hash, until a time of the service's choice: at least the proposal's `expires` and more than
// clocks differ and requests take, say a day. Ended by pg_claim_free.
//
// Threads: any, at any time.
pg_code pg_claim_for_commit(pg_bytes hash,
                            int64_t until,
                            pg_claim **claim);

// The frame of an INTENT with auto-commit, from the key that made it; times in unix seconds. It is remembered until 900 s after the
// later of them. PG_ERROR_INPUT when the holder is no key. Ended by pg_claim_free.
//
// Threads: any, at any time.
pg_code pg_claim_for_auto(pg_bytes holder,
                          pg_bytes frame,
                          int64_t arrived,
                          int64_t proof_time,
                          pg_claim **claim);

// The use of a one-time consent, by its principal and the hash of its proposal, until the consent's `exp`. PG_ERROR_INPUT when the
// principal is no key. Ended by pg_claim_free.
//
// Threads: any, at any time.
pg_code pg_claim_for_consent(pg_bytes principal,
                             pg_bytes hash,
                             int64_t exp,
                             pg_claim **claim);

// Anything else of the service's own that must happen once, by a name for its kind and one for the thing. Ended by pg_claim_free.
//
// Threads: any, at any time.
pg_code pg_claim_for_other(pg_bytes kind,
                           pg_bytes name,
                           int64_t until,
                           pg_claim **claim);

// For a claim store of the service's own: the name under which it is remembered, and the last second in which it must be. PG_ABSENT
// when that is before all times; the name stands there all the same.
//
// Threads: any, with others that read the claim.
pg_code pg_claim_parts(const pg_claim *claim,
                       pg_id *key,
                       int64_t *last);

// Ends the handle, not the claim; null is nothing to end.
//
// Threads: one, after all that read it.
void pg_claim_free(pg_claim *claim);

// Makes an empty claim store that remembers at most so many claims at a time, ended by pg_claims_free.
//
// Threads: any, at any time.
pg_code pg_claims_new(size_t room, pg_claims **claims);

// Ends a claim store, and forgets its claims; null is nothing to end.
//
// Threads: one, after all calls that use it.
void pg_claims_free(pg_claims *claims);

// Claims it, at `now` in unix seconds: PG_FIRST, PG_IN_PROGRESS, PG_DONE or PG_NO_ROOM. Only PG_FIRST gives a ticket.
//
// Threads: any, with others that use the store. Each call is one step under its lock.
pg_code pg_claims_claim(const pg_claims *claims,
                        const pg_claim *claim,
                        int64_t now,
                        pg_ticket *ticket);

// It happened: PG_CLOSED, or PG_NOT_HELD when the ticket holds nothing that is in progress.
//
// Threads: as pg_claims_claim.
pg_code pg_claims_finish(const pg_claims *claims, const pg_ticket *ticket);

// It did not happen, and it is as if it never had been claimed: PG_CLOSED, or PG_NOT_HELD. Never for the frame of an INTENT with
// auto-commit that committed something.
//
// Threads: as pg_claims_claim.
pg_code pg_claims_abandon(const pg_claims *claims,
                          const pg_ticket *ticket);

// The name of a code, as in `allowed`: static, and empty for a number that is none.
//
// Threads: any, at any time.
pg_bytes pg_code_name(uint32_t code);

// Begins a first COMMIT of a stored proposal, by its JSON text; `hash` is as the agent sent it, `reservation` a name for this attempt
// at it that no other has: 32 random bytes, stored beside the claim. PG_ERROR_INPUT for 32 zeros, as a name that failed leaves them.
//
// PG_PENDING: `pending` gets what waits for the ledger's word, ended by pg_pending_free. Else a refusal, never PG_ALLOWED; then
// `decision`, where it is not null, gets the decision, ended by pg_decision_free. All that is given is copied.
//
// Threads: any, with others that use the verifier and what is presented.
pg_code pg_commit(const pg_verifier *verifier,
                  const pg_presented *presented,
                  pg_bytes proposal,
                  pg_bytes hash,
                  const pg_origin *origin,
                  const pg_id *reservation,
                  pg_pending **pending,
                  pg_decision **decision);

// Begins the COMMIT of the first proposal of an INTENT with auto-commit, which was allowed a moment ago, in the same round trip: with
// what that INTENT presented, its capability and the id of its frame. As pg_commit; what may not be done outright is PG_REVIEW.
//
// Threads: as pg_commit.
pg_code pg_auto_commit(const pg_verifier *verifier,
                       const pg_presented *presented,
                       pg_bytes proposal,
                       pg_bytes capability,
                       pg_bytes frame,
                       const pg_origin *origin,
                       const pg_id *reservation,
                       pg_pending **pending,
                       pg_decision **decision);

// What the ledger is to be asked. What it points to lives until the next pg_pending_answer or pg_pending_free. PG_ERROR_STATE once
// the COMMIT is decided.
//
// Threads: any, but none that answers or frees it.
pg_code pg_pending_demand(const pg_pending *pending,
                          pg_demand *demand);

// Goes on with the ledger's word: PG_RESERVED, PG_EXCEEDED, PG_FULL or PG_TAKEN. Only what a ledger said in one atomic step may be
// handed on; when it could not be asked, nothing is.
//
// PG_PENDING: another grant is tried, and there is another demand. PG_ALLOWED: carry it out, then settle the reservation; or
// release it. Else a refusal. `decision`, where it is not null, gets what was decided, ended by pg_decision_free. PG_ERROR_ENUM for
// anything but these four words, and then nothing changed. PG_ERROR_STATE once the COMMIT is decided: a demand is answered once.
//
// Threads: one, and no other uses `pending` meanwhile.
pg_code pg_pending_answer(pg_pending *pending,
                          uint32_t said,
                          pg_decision **decision);

// Ends a pending COMMIT, decided or not; null is nothing to end. One that was not decided is not executed; whether its ledger holds
// something for it, only the ledger knows.
//
// Threads: one, after all calls that use it.
void pg_pending_free(pg_pending *pending);

// What was decided: PG_ALLOWED to PG_UNAVAILABLE. PG_ERROR_NULL for null.
//
// Threads: any, with others that read the decision.
pg_code pg_decision_code(const pg_decision *decision);

// Ends a decision; null is nothing to end.
//
// Threads: one, after all that read it.
void pg_decision_free(pg_decision *decision);

// For PG_CONSENT_REQUIRED: the consent request as canonical JSON, to be sent. Else PG_ABSENT. Ended by pg_text_free.
//
// Threads: as pg_decision_code.
pg_code pg_decision_consent(const pg_decision *decision,
                            pg_text **json);

// For a refusal: why, a line a cause. NOT TO BE SENT ON: it is for the service's own log, and would tell a stranger how far each
// attempt got. For PG_ALLOWED, PG_ABSENT. Ended by pg_text_free.
//
// Threads: as pg_decision_code.
pg_code pg_decision_log(const pg_decision *decision,
                        pg_text **log);

// For PG_ALLOWED: the agent's key. PG_ABSENT for EXPAND of a handle that is bound to no key, and for a refusal. Ended by pg_text_free.
//
// It is the owner of a handle that is made for this request, PG_OWNER_KEY. PG_OWNER_ANYONE is right only where this says PG_ABSENT for
// a decision that is PG_ALLOWED, never after another error.
//
// Threads: as pg_decision_code.
pg_code pg_decision_holder(const pg_decision *decision,
                           pg_text **key);

// For PG_ALLOWED: the key of the principal on whose behalf it happens. PG_ABSENT for EXPAND, and for a refusal. Ended by
// pg_text_free.
//
// Threads: as pg_decision_code.
pg_code pg_decision_issuer(const pg_decision *decision,
                           pg_text **key);

// For a first COMMIT that is allowed: the capability of the proposal. Else PG_ABSENT. Ended by pg_text_free.
//
// Threads: as pg_decision_code.
pg_code pg_decision_capability(const pg_decision *decision, pg_text **capability);

// For a first COMMIT that is allowed: the hash of the proposal. Else PG_ABSENT. Ended by pg_text_free.
//
// Threads: as pg_decision_code.
pg_code pg_decision_hash(const pg_decision *decision, pg_text **hash);

// For PG_ALLOWED: which grant allowed it, by its index among those presented, and by its id. PG_ABSENT for EXPAND, and for a
// refusal.
//
// Threads: as pg_decision_code.
pg_code pg_decision_grant(const pg_decision *decision,
                          size_t *index,
                          pg_id *id);

// Of the decision of pg_auto_intent on the frame with this id, which arrived at this time: what remembers the frame, to be claimed
// before the auto-commit. PG_ABSENT for a refusal, and where no key was proven. Ended by pg_claim_free.
//
// Threads: as pg_decision_code.
pg_code pg_decision_auto_claim(const pg_decision *decision,
                               pg_bytes frame,
                               int64_t arrived,
                               pg_claim **claim);

// For a first COMMIT that is allowed by a grant for one proposal only: what makes that consent count once, to be claimed before it
// is executed by a service that executes one proposal more than once. Else PG_ABSENT. Ended by pg_claim_free.
//
// Threads: as pg_decision_code.
pg_code pg_decision_consent_claim(const pg_decision *decision,
                                  pg_claim **claim);

// The version of the library that runs: major, minor and patch in the third, second and lowest byte. A program asks whether it is
// the one that it was compiled for, PG_VERSION: before 1.0, other minor versions are other interfaces.
//
// Threads: any, at any time.
uint32_t pg_version(void);

// The canonical form of a JSON text. PG_ERROR_INPUT when it has none; then `why`, where it is not null, gets the reason. Both are
// ended by pg_text_free.
//
// Threads: any, at any time.
pg_code pg_canonicalize(pg_bytes json,
                        pg_text **canonical,
                        pg_text **why);

// The hash of a proposal, by its JSON text, which need not be canonical. PG_ERROR_INPUT when it has none; then `why`, where it is not
// null, gets the reason. Both are ended by pg_text_free.
//
// Threads: any, at any time.
pg_code pg_proposal_hash(pg_bytes proposal,
                         pg_text **hash,
                         pg_text **why);

// Is this JSON text a well-formed proposal? PG_OK or PG_ERROR_INPUT; then `why`, where it is not null, gets the reason, ended by
// pg_text_free. For what a service is about to offer or to store: pg_commit looks by itself.
//
// Threads: any, at any time.
pg_code pg_proposal_check(pg_bytes proposal,
                          pg_text **why);

// Is this the text of a public key? PG_OK or PG_ERROR_INPUT.
//
// Threads: any, at any time.
pg_code pg_key_check(pg_bytes key);

// Checks a proof of possession by itself, for who binds requests to keys by other means than a verifier, which does all of it: what
// comes out is a key, and no longer says what it was proven for. The verb is `ASK`, `INTENT`, `COMMIT`, `UNDO` or `EXPAND`.
// PG_ERROR_INPUT when it is no proof of just this. The key is ended by pg_text_free.
//
// Threads: any, at any time.
pg_code pg_proof_check_unbound(pg_bytes proof,
                               pg_bytes service,
                               pg_bytes verb,
                               pg_bytes target,
                               int64_t now,
                               pg_text **key);

// A name for a reservation from a text that is unique to the attempt, by its hash: the service's own number for it, say. Never a text
// that the agent chooses, nor the proposal's hash. PG_ERROR_INPUT for the empty text.
//
// Threads: any, at any time.
pg_code pg_reservation_of(pg_bytes name,
                          pg_id *id);

// Reads the text of an id, 43 characters of base64url. PG_ERROR_INPUT when it is none.
//
// Threads: any, at any time.
pg_code pg_id_read(pg_bytes encoded, pg_id *id);

// The text of an id. Ended by pg_text_free.
//
// Threads: any, at any time.
pg_code pg_id_write(const pg_id *id, pg_text **encoded);

#if defined(PG_FEATURE_ISSUE)
// A signing key from its text, base64url of 32 bytes; wiping that is the caller's. PG_ERROR_INPUT when it is none. Ended by
// pg_seed_free.
//
// Threads: any, at any time.
pg_code pg_seed_read(pg_bytes encoded,
                     pg_seed **seed);
#endif

#if defined(PG_FEATURE_ISSUE)
// Wipes and ends a signing key; null is nothing to end.
//
// Threads: one, after all calls that use it.
void pg_seed_free(pg_seed *seed);
#endif

#if defined(PG_FEATURE_ISSUE)
// The public key of a signing key. Ended by pg_text_free.
//
// Threads: any, with others that use the seed.
pg_code pg_seed_public(const pg_seed *seed, pg_text **key);
#endif

#if defined(PG_FEATURE_ISSUE)
// Signs a root grant: `subject` may act for the seed's key within the caveats, each by its JSON text. `issued_at` is in unix seconds;
// `nonce` is any text that makes this grant differ from another. PG_ERROR_INPUT for what no verifier would accept; then `why`, where it
// is not null, may get the reason. Both are ended by pg_text_free.
//
// Threads: as pg_seed_public.
pg_code pg_issue(const pg_seed *seed,
                 pg_bytes subject,
                 const pg_bytes *caveats,
                 size_t caveat_count,
                 int64_t issued_at,
                 pg_bytes nonce,
                 pg_text **token,
                 pg_text **why);
#endif

#if defined(PG_FEATURE_ISSUE)
// Signs a delegation: the holder of the grant hands it on to `subject`, narrowed by the caveats. As pg_issue; the seed must be the
// holder's.
//
// Threads: as pg_seed_public; any, with others that use the grant.
pg_code pg_delegate(const pg_grant *grant,
                    const pg_seed *seed,
                    pg_bytes subject,
                    const pg_bytes *caveats,
                    size_t caveat_count,
                    int64_t issued_at,
                    pg_text **token,
                    pg_text **why);
#endif

#if defined(PG_FEATURE_ISSUE)
// Signs a consent: the seed's key lets `agent` commit exactly this proposal, by its JSON text, at this service. As pg_issue. That the
// proposal is the one that the human was shown is the caller's to see to.
//
// Threads: as pg_seed_public.
pg_code pg_consent(const pg_seed *seed,
                   pg_bytes agent,
                   pg_bytes proposal,
                   pg_bytes service,
                   int64_t issued_at,
                   pg_bytes nonce,
                   pg_text **token,
                   pg_text **why);
#endif

#if defined(PG_FEATURE_ISSUE)
// Signs a proof of possession, as JSON: the seed's key asks `service` for `verb` with `target` at `time`. PG_ERROR_INPUT for a verb
// that is none, and as for pg_issue.
//
// Threads: as pg_seed_public.
pg_code pg_sign_proof(const pg_seed *seed,
                      pg_bytes service,
                      pg_bytes verb,
                      pg_bytes target,
                      int64_t time,
                      pg_text **proof,
                      pg_text **why);
#endif

// Makes an empty ledger, ended by pg_ledger_free. Without bounds (null), it has the defaults.
//
// Threads: any, at any time.
pg_code pg_ledger_new(const pg_ledger_bounds *bounds, pg_ledger **ledger);

// Ends a ledger, and forgets what it counted; null is nothing to end.
//
// Threads: one, after all calls that use it.
void pg_ledger_free(pg_ledger *ledger);

// Counts and holds a demand, or changes nothing: PG_RESERVED, PG_EXCEEDED, PG_FULL or PG_TAKEN, which pg_pending_answer takes. An
// error is none of them.
//
// Threads: any, with others that use the ledger. Each call is one step under its lock.
pg_code pg_ledger_reserve(const pg_ledger *ledger,
                          const pg_demand *demand);

// It was executed: what was counted stays counted. PG_CLOSED, or PG_NOT_HELD.
//
// Threads: as pg_ledger_reserve.
pg_code pg_ledger_settle(const pg_ledger *ledger, const pg_id *id);

// It was not executed: what was counted is given back. PG_CLOSED, or PG_NOT_HELD.
//
// Threads: as pg_ledger_reserve.
pg_code pg_ledger_release(const pg_ledger *ledger, const pg_id *id);

// What is counted under a block now, held and settled together: to show it to people. Nothing can be decided by it, as it may have
// changed a moment later.
//
// Threads: as pg_ledger_reserve.
pg_code pg_ledger_total(const pg_ledger *ledger,
                        const pg_id *block,
                        uint64_t *total);

// ASK: PG_ALLOWED, PG_UNAUTHORIZED or PG_FORBIDDEN, or an error, which is a refusal too. `decision` may be null; else it gets the
// decision, ended by pg_decision_free, or null after an error.
//
// Threads: any, with others that use the verifier and what is presented.
pg_code pg_ask(const pg_verifier *verifier,
               const pg_presented *presented,
               pg_bytes capability,
               pg_decision **decision);

// INTENT: as pg_ask. Store the texts of pg_decision_holder and pg_decision_issuer beside each proposal that is made for it.
//
// Threads: as pg_ask.
pg_code pg_intent(const pg_verifier *verifier,
                  const pg_presented *presented,
                  pg_bytes capability,
                  pg_decision **decision);

// INTENT with auto-commit, of the frame with this id: as pg_ask. It says whether the agent may ask; whether its first proposal is then
// committed, pg_auto_commit says.
//
// Threads: as pg_ask.
pg_code pg_auto_intent(const pg_verifier *verifier,
                       const pg_presented *presented,
                       pg_bytes capability,
                       pg_bytes frame,
                       pg_decision **decision);

// UNDO of the receipt with this id, as sent, which is of that commit: as pg_ask. Whether it is still in time, and that it is undone
// once, is the service's to know.
//
// Threads: as pg_ask.
pg_code pg_undo(const pg_verifier *verifier,
                const pg_presented *presented,
                pg_bytes receipt,
                const pg_committed *of,
                pg_decision **decision);

// EXPAND of a handle, as sent, by whoever may: as pg_ask. It looks at no grants.
//
// Threads: as pg_ask.
pg_code pg_expand(const pg_verifier *verifier,
                  const pg_presented *presented,
                  pg_bytes handle,
                  const pg_owner *owner,
                  pg_decision **decision);

// COMMIT of a proposal that is committed already: may the agent have the first answer again? `hash` is as sent. As pg_ask, or
// PG_CONFLICT for the hash of another proposal. Nothing is reserved or executed for it.
//
// Threads: as pg_ask.
pg_code pg_replay(const pg_verifier *verifier,
                  const pg_presented *presented,
                  pg_bytes hash,
                  const pg_committed *of,
                  pg_decision **decision);

// Makes a verifier, ended by pg_verifier_free. PG_ERROR_INPUT when a principal is no key, or a revoked id is 32 zeros. The settings are copied.
//
// Threads: any, at any time.
pg_code pg_verifier_new(const pg_settings *settings,
                        pg_verifier **verifier);

// Ends a verifier; null is nothing to end. Kept grants, decisions and pending COMMITs outlive it.
//
// Threads: one, after all calls that use it.
void pg_verifier_free(pg_verifier *verifier);

// Verifies a token once, to be kept and presented again: from then on a request costs one signature check. This alone allows
// nothing. Holder, trust and revocation are looked at whenever it is presented, to any verifier. Keep it by the whole text of the token.
//
// PG_ERROR_INPUT when it is no valid grant of a trusted principal; then `why`, where it is not null, gets the reason, for the
// service's own log. The grant is ended by pg_grant_free, the reason by pg_text_free.
//
// Threads: any, with others that use the verifier.
pg_code pg_verifier_verify(const pg_verifier *verifier,
                           pg_bytes token,
                           pg_grant **grant,
                           pg_text **why);

// Ends a kept grant; null is nothing to end. Pending COMMITs outlive it.
//
// Threads: one, after all calls that use it.
void pg_grant_free(pg_grant *grant);

// What a kept grant says, in words: its id, principal and holder, and the caveats of each block. Ended by pg_text_free.
//
// Threads: any, with others that use the grant.
pg_code pg_grant_describe(const pg_grant *grant,
                          pg_text **description);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* PARLEY_GRANTS_H */
