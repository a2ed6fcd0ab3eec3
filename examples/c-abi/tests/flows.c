// The rules of the interface, one by one, in a service's whole flow.

#include "common.h"

#include <pthread.h>

#define SERVICE "shop.example"
#define NOW INT64_C(1790000000)

static const char *const PROPOSAL =
    "{\"capability\":\"shop.order\",\"cost\":{\"amount\":2500,\"currency\":\"USD\"},\"effects\":[{\"op\":\"order\","
    "\"target\":\"coffee\"}],\"expires\":1790000600,\"id\":\"p-1\",\"risk\":\"low\",\"summary\":\"Coffee\",\"undo\":"
    "{\"window\":600}}";

// A human, an agent, and a stranger.
static pg_seed *human, *agent, *stranger;
static char *human_key, *agent_key, *stranger_key, *hash;
static pg_verifier *shop;

static pg_seed *seed_of(char last, char **key) {
    char text[44];
    memset(text, 'B', 42);
    text[42] = last;
    text[43] = '\0';
    pg_seed *seed;
    pg_text *public_key;
    CHECK(pg_seed_read(text_of(text), &seed) == PG_OK && pg_seed_public(seed, &public_key) == PG_OK);
    *key = take_text(public_key);
    return seed;
}

static char *grant_of(const pg_seed *issuer, const char *subject, const char *caveat) {
    pg_bytes caveats[] = {text_of(caveat)};
    pg_text *token;
    CHECK(pg_issue(issuer, text_of(subject), caveats, 1, NOW - 100, text_of("n"), &token, NULL) == PG_OK);
    return take_text(token);
}

static char *proof_of(const pg_seed *seed, const char *verb, const char *target) {
    pg_text *proof;
    CHECK(pg_sign_proof(seed, text_of(SERVICE), text_of(verb), text_of(target), NOW, &proof, NULL) == PG_OK);
    return take_text(proof);
}

// What one token and one proof make.
typedef struct {
    pg_presentable grant;
    pg_presented presented;
    char *proof;
} shown;

static void show(shown *with, const char *token, const pg_seed *seed, const char *verb, const char *target) {
    with->proof = proof_of(seed, verb, target);
    with->grant = (pg_presentable){.token = text_of(token)};
    with->presented = (pg_presented){&with->grant, 1, PG_POSSESSION_PROOF, text_of(with->proof), NOW};
}

static pg_origin origin(void) {
    pg_origin whose = {PG_ORIGIN_WITH_GRANT, text_of(agent_key), text_of(human_key)};
    return whose;
}

static pg_id named(const char *name) {
    pg_id id;
    CHECK(pg_reservation_of(text_of(name), &id) == PG_OK);
    return id;
}

static pg_code commit(const pg_verifier *verifier, const char *token, const char *name, pg_pending **pending,
                      pg_decision **decision) {
    shown with;
    show(&with, token, agent, "COMMIT", hash);
    pg_origin whose = origin();
    pg_id id = named(name);
    pg_code code = pg_commit(verifier, &with.presented, text_of(PROPOSAL), text_of(hash), &whose, &id, pending, decision);
    // All of it was copied.
    memset(with.proof, '#', strlen(with.proof));
    free(with.proof);
    return code;
}

static void make_world(void) {
    human = seed_of('A', &human_key);
    agent = seed_of('E', &agent_key);
    stranger = seed_of('I', &stranger_key);
    pg_text *text;
    CHECK(pg_proposal_check(text_of(PROPOSAL), NULL) == PG_OK);
    CHECK(pg_proposal_hash(text_of(PROPOSAL), &text, NULL) == PG_OK);
    hash = take_text(text);
    pg_bytes keys[] = {text_of(human_key)};
    pg_settings settings = {.service = text_of(SERVICE), .principals = keys, .principal_count = 1};
    CHECK(pg_verifier_new(&settings, &shop) == PG_OK);
}

static void end_world(void) {
    pg_verifier_free(shop);
    pg_seed_free(human);
    pg_seed_free(agent);
    pg_seed_free(stranger);
    free(human_key);
    free(agent_key);
    free(stranger_key);
    free(hash);
}

static void a_request_is_allowed_and_says_for_whom(void) {
    char *token = grant_of(human, agent_key, "{\"can\":[\"shop.*\"]}");
    shown with;
    show(&with, token, agent, "ASK", "shop.order");
    pg_decision *decision;
    pg_text *text;
    size_t index;
    pg_id id;
    CHECK(pg_ask(shop, &with.presented, text_of("shop.order"), &decision) == PG_ALLOWED);
    CHECK(pg_decision_code(decision) == PG_ALLOWED);
    CHECK(pg_decision_holder(decision, &text) == PG_OK && is_text(pg_text_bytes(text), agent_key));
    pg_text_free(text);
    CHECK(pg_decision_issuer(decision, &text) == PG_OK && is_text(pg_text_bytes(text), human_key));
    pg_text_free(text);
    CHECK(pg_decision_grant(decision, &index, &id) == PG_OK && index == 0);
    CHECK(pg_decision_log(decision, &text) == PG_ABSENT && text == NULL);
    CHECK(pg_decision_consent(decision, &text) == PG_ABSENT && text == NULL);
    CHECK(pg_decision_hash(decision, &text) == PG_ABSENT && pg_decision_capability(decision, &text) == PG_ABSENT);
    pg_decision_free(decision);
    // The decision is not asked for; the answer is the same.
    CHECK(pg_ask(shop, &with.presented, text_of("shop.order"), NULL) == PG_ALLOWED);
    // Another capability than the proof's, and one that the grant does not cover.
    CHECK(pg_ask(shop, &with.presented, text_of("shop.other"), NULL) == PG_UNAUTHORIZED);
    free(with.proof);
    show(&with, token, agent, "ASK", "bank.pay");
    CHECK(pg_ask(shop, &with.presented, text_of("bank.pay"), &decision) == PG_FORBIDDEN);
    CHECK(pg_decision_log(decision, &text) == PG_OK && pg_text_bytes(text).length > 0);
    pg_text_free(text);
    CHECK(pg_decision_holder(decision, &text) == PG_ABSENT && pg_decision_issuer(decision, &text) == PG_ABSENT);
    CHECK(pg_decision_grant(decision, &index, &id) == PG_ABSENT);
    pg_decision_free(decision);
    free(with.proof);
    free(token);
}

static void what_is_no_text_is_no_token_beside_good_ones(void) {
    char *token = grant_of(human, agent_key, "{\"can\":[\"shop.*\"]}");
    char *proof = proof_of(agent, "ASK", "shop.order");
    pg_presentable grants[] = {{NULL, bytes_of("\xff\xfe", 2)}, {NULL, bytes_of(NULL, 0)}, {NULL, text_of(token)}};
    pg_presented presented = {grants, 3, PG_POSSESSION_PROOF, text_of(proof), NOW};
    pg_decision *decision;
    size_t index;
    pg_id id;
    CHECK(pg_ask(shop, &presented, text_of("shop.order"), &decision) == PG_ALLOWED);
    CHECK(pg_decision_grant(decision, &index, &id) == PG_OK && index == 2);
    pg_decision_free(decision);
    presented.grant_count = 2;
    CHECK(pg_ask(shop, &presented, text_of("shop.order"), NULL) == PG_UNAUTHORIZED);
    // A request that is no text was signed by nobody.
    CHECK(pg_ask(shop, &presented, bytes_of("\xff", 1), &decision) == PG_ERROR_UTF8 && decision == NULL);
    free(proof);
    free(token);
}

static void a_kept_grant_is_presented_again_and_outlives_its_verifier(void) {
    char *token = grant_of(human, agent_key, "{\"can\":[\"shop.*\"]}"), *strange = grant_of(stranger, agent_key, "{\"can\":[\"*\"]}");
    pg_bytes keys[] = {text_of(human_key)};
    pg_settings settings = {.service = text_of(SERVICE), .principals = keys, .principal_count = 1};
    pg_verifier *first;
    pg_grant *kept;
    pg_text *text;
    CHECK(pg_verifier_new(&settings, &first) == PG_OK);
    CHECK(pg_verifier_verify(first, text_of(strange), &kept, &text) == PG_ERROR_INPUT && kept == NULL);
    CHECK(is_text(pg_text_bytes(text), "the issuer is not trusted, in block 0"));
    pg_text_free(text);
    CHECK(pg_verifier_verify(first, text_of(token), &kept, &text) == PG_OK && text == NULL);
    pg_verifier_free(first);
    CHECK(pg_grant_describe(kept, &text) == PG_OK);
    char *description = take_text(text);
    CHECK(strstr(description, agent_key) != NULL);
    free(description);
    shown with;
    show(&with, token, agent, "INTENT", "shop.order");
    with.grant = (pg_presentable){.kept = kept};
    CHECK(pg_intent(shop, &with.presented, text_of("shop.order"), NULL) == PG_ALLOWED);
    // Both at once is a mistake.
    with.grant.token = text_of(token);
    CHECK(pg_intent(shop, &with.presented, text_of("shop.order"), NULL) == PG_ERROR_LENGTH);
    with.grant.token = text_of("");
    // Its trust is asked again.
    settings.principal_count = 0;
    CHECK(pg_verifier_new(&settings, &first) == PG_OK);
    CHECK(pg_intent(first, &with.presented, text_of("shop.order"), NULL) == PG_UNAUTHORIZED);
    pg_verifier_free(first);
    pg_grant_free(kept);
    free(with.proof);
    free(token);
    free(strange);
}

static void settings_bind(void) {
    char *token = grant_of(human, agent_key, "{\"can\":[\"shop.*\"]}");
    shown with;
    show(&with, token, agent, "ASK", "shop.order");
    pg_decision *decision;
    size_t index;
    pg_id id;
    CHECK(pg_ask(shop, &with.presented, text_of("shop.order"), &decision) == PG_ALLOWED);
    CHECK(pg_decision_grant(decision, &index, &id) == PG_OK);
    pg_decision_free(decision);
    pg_bytes keys[] = {text_of(human_key), text_of("no key")};
    pg_limits limits = {SIZE_MAX, SIZE_MAX, SIZE_MAX, SIZE_MAX, SIZE_MAX, SIZE_MAX, SIZE_MAX};
    pg_id revoked[] = {named("another"), named("a third"), id};
    pg_settings settings = {text_of(SERVICE), keys, 1, &id, 1, NULL};
    pg_verifier *other;
    // Revoked.
    CHECK(pg_verifier_new(&settings, &other) == PG_OK);
    CHECK(pg_ask(other, &with.presented, text_of("shop.order"), NULL) == PG_UNAUTHORIZED);
    pg_verifier_free(other);
    settings.revoked = revoked;
    settings.revoked_count = 3;
    CHECK(pg_verifier_new(&settings, &other) == PG_OK);
    CHECK(pg_ask(other, &with.presented, text_of("shop.order"), NULL) == PG_UNAUTHORIZED);
    pg_verifier_free(other);
    // What a failed pg_id_read leaves revokes nothing, so it is not taken for a revocation.
    CHECK(pg_id_read(text_of("no id"), &revoked[1]) == PG_ERROR_INPUT);
    CHECK(pg_verifier_new(&settings, &other) == PG_ERROR_INPUT && other == NULL);
    // Limits: the largest are the defaults, and 0 is 0.
    settings.revoked_count = 0;
    settings.limits = &limits;
    CHECK(pg_verifier_new(&settings, &other) == PG_OK);
    CHECK(pg_ask(other, &with.presented, text_of("shop.order"), NULL) == PG_ALLOWED);
    pg_verifier_free(other);
    size_t *each[] = {&limits.token_bytes, &limits.blocks, &limits.caveats, &limits.grants,
                      &limits.depth, &limits.json_bytes, &limits.proof_bytes};
    for (size_t i = 0; i < sizeof each / sizeof *each; i++) {
        *each[i] = 0;
        CHECK(pg_verifier_new(&settings, &other) == PG_OK);
        CHECK(pg_ask(other, &with.presented, text_of("shop.order"), NULL) == PG_UNAUTHORIZED);
        pg_verifier_free(other);
        *each[i] = SIZE_MAX;
    }
    // A principal that is no key would be a hole in somebody's configuration.
    settings.principal_count = 2;
    CHECK(pg_verifier_new(&settings, &other) == PG_ERROR_INPUT && other == NULL);
    free(with.proof);
    free(token);
}

static void a_commit_is_allowed_by_its_ledger_alone(void) {
    char *token = grant_of(human, agent_key, "{\"spend\":{\"currency\":\"USD\",\"max\":4000}}");
    pg_ledger *ledger;
    pg_pending *pending;
    pg_decision *decision;
    pg_demand demand;
    pg_text *text;
    uint64_t total;
    CHECK(pg_ledger_new(NULL, &ledger) == PG_OK);
    CHECK(commit(shop, token, "a", &pending, &decision) == PG_PENDING && pending != NULL && decision == NULL);
    free(token);
    pg_id a = named("a"), b = named("b");
    CHECK(pg_pending_demand(pending, &demand) == PG_OK);
    CHECK(demand.amount == 2500 && demand.now == NOW && demand.line_count == 1 && is_text(demand.proposal, hash));
    CHECK(memcmp(&demand.id, &a, sizeof a) == 0 && memcmp(&demand.grant, &demand.lines[0].block, sizeof a) == 0);
    CHECK(demand.lines[0].max == 4000 && demand.lines[0].forgets == 0);
    pg_id block = demand.grant;
    // No other word leads on, and none changes anything.
    pg_code others[] = {PG_OK, PG_ALLOWED, PG_PENDING, PG_ERROR_POISONED, PG_CLOSED, PG_FIRST, UINT32_MAX};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        CHECK(pg_pending_answer(pending, others[i], &decision) == PG_ERROR_ENUM && decision == NULL);
    }
    CHECK(pg_pending_demand(pending, &demand) == PG_OK);
    CHECK(pg_ledger_reserve(ledger, &demand) == PG_RESERVED);
    CHECK(pg_pending_answer(pending, PG_RESERVED, &decision) == PG_ALLOWED);
    CHECK(pg_decision_hash(decision, &text) == PG_OK && is_text(pg_text_bytes(text), hash));
    pg_text_free(text);
    CHECK(pg_decision_capability(decision, &text) == PG_OK && is_text(pg_text_bytes(text), "shop.order"));
    pg_text_free(text);
    pg_claim *claim;
    CHECK(pg_decision_consent_claim(decision, &claim) == PG_ABSENT && claim == NULL);
    pg_decision_free(decision);
    // A demand is answered once.
    CHECK(pg_pending_answer(pending, PG_RESERVED, &decision) == PG_ERROR_STATE && decision == NULL);
    CHECK(pg_pending_demand(pending, &demand) == PG_ERROR_STATE);
    CHECK(pg_ledger_reserve(ledger, &demand) == PG_EXCEEDED);
    pg_pending_free(pending);
    CHECK(pg_ledger_total(ledger, &block, &total) == PG_OK && total == 2500);

    // The next goes over the limit, so the human is asked.
    token = grant_of(human, agent_key, "{\"spend\":{\"currency\":\"USD\",\"max\":4000}}");
    CHECK(commit(shop, token, "b", &pending, &decision) == PG_PENDING);
    CHECK(pg_pending_demand(pending, &demand) == PG_OK && pg_ledger_reserve(ledger, &demand) == PG_EXCEEDED);
    CHECK(pg_pending_answer(pending, PG_EXCEEDED, &decision) == PG_CONSENT_REQUIRED);
    CHECK(pg_decision_consent(decision, &text) == PG_OK);
    char *json = take_text(text);
    CHECK(strstr(json, hash) != NULL && strstr(json, human_key) != NULL && json[0] == '{');
    free(json);
    pg_decision_free(decision);
    pg_pending_free(pending);
    CHECK(pg_ledger_release(ledger, &b) == PG_NOT_HELD);
    CHECK(pg_ledger_release(ledger, &a) == PG_CLOSED && pg_ledger_settle(ledger, &a) == PG_NOT_HELD);
    CHECK(pg_ledger_total(ledger, &block, &total) == PG_OK && total == 0);
    // The other two words.
    for (pg_code word = PG_FULL; word <= PG_TAKEN; word++) {
        CHECK(commit(shop, token, "c", &pending, &decision) == PG_PENDING);
        CHECK(pg_pending_answer(pending, word, NULL) == PG_UNAVAILABLE);
        CHECK(pg_pending_answer(pending, PG_RESERVED, NULL) == PG_ERROR_STATE);
        pg_pending_free(pending);
    }
    free(token);
    pg_ledger_free(ledger);
}

static pg_code reserve(const pg_ledger *ledger, const char *name, const char *grant, int64_t now, const pg_spend_line *lines, size_t count) {
    pg_demand demand = {named(name), text_of(hash), named(grant), 1, now, lines, count};
    return pg_ledger_reserve(ledger, &demand);
}

static void a_ledger_has_its_bounds_and_forgets_what_it_may(void) {
    pg_ledger_bounds bounds = {.grants = 1, .blocks_per_grant = 2, .held_per_grant = 3, .ended = 4};
    pg_spend_line lines[] = {{named("1"), 10, 1, NOW}, {named("2"), 10, 1, NOW}, {named("3"), 10, 0, 0}};
    const char *const names[] = {"a", "b", "c", "d", "e"};
    const int64_t day = 86400;
    pg_ledger *ledger;
    pg_id id;
    CHECK(pg_ledger_new(&bounds, &ledger) == PG_OK);
    CHECK(reserve(ledger, "a", "A", NOW, lines, 3) == PG_FULL);
    CHECK(reserve(ledger, "a", "A", NOW, lines, 2) == PG_RESERVED && reserve(ledger, "a", "A", NOW, lines, 2) == PG_RESERVED);
    CHECK(reserve(ledger, "a", "A", NOW, lines, 1) == PG_TAKEN);
    CHECK(reserve(ledger, "b", "B", NOW, lines, 1) == PG_FULL);
    CHECK(reserve(ledger, "b", "A", NOW, NULL, 0) == PG_RESERVED && reserve(ledger, "c", "A", NOW, NULL, 0) == PG_RESERVED);
    CHECK(reserve(ledger, "d", "A", NOW, NULL, 0) == PG_FULL);
    lines[0].forgets = 2;
    CHECK(reserve(ledger, "d", "A", NOW, lines, 1) == PG_ERROR_ENUM);
    lines[0].forgets = 1;
    for (int i = 0; i < 5; i++) {
        id = named(names[i]);
        if (i > 2) CHECK(reserve(ledger, names[i], "A", NOW, NULL, 0) == PG_RESERVED);
        CHECK(pg_ledger_settle(ledger, &id) == PG_CLOSED);
    }
    // The last four are remembered; what was settled stays counted until every clock is past it.
    CHECK(reserve(ledger, "b", "A", NOW, NULL, 0) == PG_TAKEN && reserve(ledger, "e", "A", NOW, NULL, 0) == PG_TAKEN);
    id = named("a");
    CHECK(reserve(ledger, "a", "A", NOW, NULL, 0) == PG_RESERVED && pg_ledger_release(ledger, &id) == PG_CLOSED);
    CHECK(reserve(ledger, "f", "B", NOW + day - 1, lines, 1) == PG_FULL);
    CHECK(reserve(ledger, "f", "B", NOW + day, lines, 1) == PG_RESERVED);
    pg_ledger_free(ledger);
    // What must never be forgotten is not.
    CHECK(pg_ledger_new(&bounds, &ledger) == PG_OK);
    CHECK(reserve(ledger, "a", "A", NOW, &lines[2], 1) == PG_RESERVED);
    id = named("a");
    CHECK(pg_ledger_settle(ledger, &id) == PG_CLOSED && reserve(ledger, "b", "B", INT64_MAX, &lines[2], 1) == PG_FULL);
    pg_ledger_free(ledger);
    // The demand of a grant that ends says when.
    pg_bytes caveats[] = {text_of("{\"spend\":{\"currency\":\"USD\",\"max\":4000}}"), text_of("{\"exp\":1790000900}")};
    pg_text *text;
    pg_pending *pending;
    pg_demand demand;
    CHECK(pg_issue(human, text_of(agent_key), caveats, 2, NOW - 100, text_of("n"), &text, NULL) == PG_OK);
    char *token = take_text(text);
    CHECK(commit(shop, token, "a", &pending, NULL) == PG_PENDING && pg_pending_demand(pending, &demand) == PG_OK);
    CHECK(demand.line_count == 1 && demand.lines[0].forgets == 1 && demand.lines[0].forget_after == 1790000900);
    pg_pending_free(pending);
    free(token);
}

// Both are freed.
static int are_same(pg_claim *one, pg_claim *other) {
    pg_id keys[2];
    int64_t last[2];
    CHECK(pg_claim_parts(one, &keys[0], &last[0]) == PG_OK && pg_claim_parts(other, &keys[1], &last[1]) == PG_OK);
    pg_claim_free(one);
    pg_claim_free(other);
    return memcmp(&keys[0], &keys[1], sizeof keys[0]) == 0 && last[0] == last[1];
}

static void a_consent_counts_once(void) {
    pg_text *text;
    pg_pending *pending;
    pg_decision *decision;
    pg_claim *claim;
    CHECK(pg_consent(human, text_of(agent_key), text_of(PROPOSAL), text_of(SERVICE), NOW, text_of("n"), &text, NULL) == PG_OK);
    char *token = take_text(text);
    CHECK(commit(shop, token, "a", &pending, &decision) == PG_PENDING);
    pg_demand demand;
    // It has no limit in total, so there is no line; it is reserved all the same.
    CHECK(pg_pending_demand(pending, &demand) == PG_OK && demand.line_count == 0 && demand.lines == NULL);
    CHECK(pg_pending_answer(pending, PG_RESERVED, &decision) == PG_ALLOWED);
    pg_claim *same;
    CHECK(pg_decision_consent_claim(decision, &claim) == PG_OK);
    CHECK(pg_claim_for_consent(text_of(human_key), text_of(hash), 1790000600, &same) == PG_OK && are_same(claim, same));
    CHECK(pg_decision_consent_claim(decision, &claim) == PG_OK);
    pg_decision_free(decision);
    pg_pending_free(pending);
    free(token);

    pg_claims *claims;
    pg_ticket ticket, again;
    pg_id key;
    int64_t last;
    CHECK(pg_claim_parts(claim, &key, &last) == PG_OK && last == 1790000599);
    CHECK(pg_claims_new(1, &claims) == PG_OK);
    CHECK(pg_claims_claim(claims, claim, NOW, &ticket) == PG_FIRST && memcmp(&ticket.key, &key, sizeof key) == 0);
    CHECK(pg_claims_claim(claims, claim, NOW, &again) == PG_IN_PROGRESS && again.turn == 0);
    CHECK(pg_claims_finish(claims, &again) == PG_NOT_HELD);
    CHECK(pg_claims_abandon(claims, &ticket) == PG_CLOSED && pg_claims_finish(claims, &ticket) == PG_NOT_HELD);
    CHECK(pg_claims_claim(claims, claim, NOW, &again) == PG_FIRST && pg_claims_finish(claims, &again) == PG_CLOSED);
    CHECK(pg_claims_claim(claims, claim, NOW, &again) == PG_DONE);
    pg_claim_free(claim);
    CHECK(pg_claim_for_commit(text_of(hash), NOW + 1, &claim) == PG_OK);
    CHECK(pg_claims_claim(claims, claim, NOW, &again) == PG_NO_ROOM);
    pg_claim_free(claim);
    CHECK(pg_claim_for_commit(text_of(hash), INT64_MIN, &claim) == PG_OK);
    CHECK(pg_claim_parts(claim, &key, &last) == PG_ABSENT);
    pg_claim_free(claim);
    // `until` is a time: one that is over remembers nothing, and a second later it does.
    pg_claims_free(claims);
    CHECK(pg_claims_new(1, &claims) == PG_OK);
    for (int i = 0; i < 4; i++) {
        CHECK(pg_claim_for_other(text_of("k"), text_of("n"), i < 2 ? 900 : NOW + 1, &claim) == PG_OK);
        CHECK(pg_claims_claim(claims, claim, NOW, &ticket) == (i < 3 ? PG_FIRST : PG_IN_PROGRESS));
        pg_claim_free(claim);
    }
    CHECK(pg_claim_for_auto(text_of("no key"), text_of("f"), NOW, NOW, &claim) == PG_ERROR_INPUT && claim == NULL);
    CHECK(pg_claim_for_consent(text_of("no key"), text_of(hash), NOW, &claim) == PG_ERROR_INPUT && claim == NULL);
    pg_claims_free(claims);
}

static void an_auto_commit_is_one_of_its_frame(void) {
    char *token = grant_of(human, agent_key, "{\"spend\":{\"currency\":\"USD\",\"max\":4000}}");
    shown with;
    show(&with, token, agent, "INTENT", "auto:shop.order:f-1");
    pg_decision *decision;
    pg_pending *pending;
    pg_claim *claim;
    pg_origin whose = origin();
    pg_id id = named("auto");
    CHECK(pg_auto_intent(shop, &with.presented, text_of("shop.order"), text_of("f-1"), &decision) == PG_ALLOWED);
    pg_claim *same;
    CHECK(pg_decision_auto_claim(decision, text_of("f-1"), NOW + 9, &claim) == PG_OK);
    CHECK(pg_claim_for_auto(text_of(agent_key), text_of("f-1"), NOW + 9, NOW, &same) == PG_OK && are_same(claim, same));
    pg_decision_free(decision);
    CHECK(pg_auto_commit(shop, &with.presented, text_of(PROPOSAL), text_of("shop.order"), text_of("f-1"), &whose, &id,
                         &pending, NULL) == PG_PENDING);
    CHECK(pg_pending_answer(pending, PG_EXCEEDED, &decision) == PG_REVIEW);
    CHECK(pg_decision_auto_claim(decision, text_of("f-1"), NOW, &claim) == PG_ABSENT && claim == NULL);
    pg_decision_free(decision);
    pg_pending_free(pending);
    CHECK(pg_auto_commit(shop, &with.presented, text_of(PROPOSAL), text_of("shop.order"), text_of("f-2"), &whose, &id,
                         &pending, &decision) == PG_UNAUTHORIZED);
    CHECK(pending == NULL && pg_decision_code(decision) == PG_UNAUTHORIZED);
    pg_decision_free(decision);
    free(with.proof);
    free(token);
}

static void what_was_recorded_binds(void) {
    char *token = grant_of(human, agent_key, "{\"can\":[\"shop.*\"]}");
    pg_id id = named("a");
    pg_pending *pending;
    shown with;
    show(&with, token, agent, "COMMIT", hash);
    const struct {
        pg_origin whose;
        pg_code code;
    } origins[] = {
        {{PG_ORIGIN_WITH_GRANT, text_of(agent_key), text_of(human_key)}, PG_PENDING},
        {{PG_ORIGIN_WITHOUT_GRANT, text_of(agent_key), bytes_of((void *)1, 99)}, PG_PENDING},
        {{PG_ORIGIN_ANONYMOUS, bytes_of((void *)1, 99), bytes_of((void *)1, 99)}, PG_FORBIDDEN},
        {{PG_ORIGIN_WITH_GRANT, text_of(stranger_key), text_of(human_key)}, PG_FORBIDDEN},
        {{PG_ORIGIN_WITH_GRANT, text_of(agent_key), text_of(stranger_key)}, PG_FORBIDDEN},
        // No key matches nobody, and a struct of zeros is no permission.
        {{PG_ORIGIN_WITH_GRANT, text_of(agent_key), bytes_of("\xff", 1)}, PG_FORBIDDEN},
        {{PG_ORIGIN_WITH_GRANT, text_of(""), text_of(human_key)}, PG_FORBIDDEN},
        {{0, {NULL, 0}, {NULL, 0}}, PG_ERROR_ENUM},
        {{UINT32_MAX, text_of(agent_key), text_of(human_key)}, PG_ERROR_ENUM},
    };
    for (size_t i = 0; i < sizeof origins / sizeof *origins; i++) {
        pg_code code = pg_commit(shop, &with.presented, text_of(PROPOSAL), text_of(hash), &origins[i].whose, &id, &pending, NULL);
        CHECK(code == origins[i].code && (pending != NULL) == (code == PG_PENDING));
        pg_pending_free(pending);
    }
    CHECK(pg_commit(shop, &with.presented, text_of("{}"), text_of(hash), &origins[0].whose, &id, &pending, NULL) == PG_FORBIDDEN);
    free(with.proof);
    show(&with, token, agent, "COMMIT", "other");
    CHECK(pg_commit(shop, &with.presented, text_of(PROPOSAL), text_of("other"), &origins[0].whose, &id, &pending, NULL) == PG_CONFLICT);
    free(with.proof);

    const struct {
        pg_committed of;
        pg_code replay, undo;
    } commits[] = {
        {{PG_COMMITTED_WITH_PRINCIPAL, text_of(agent_key), text_of(human_key), text_of("shop.order"), text_of(hash)}, PG_ALLOWED, PG_ALLOWED},
        {{PG_COMMITTED_WITHOUT_PRINCIPAL, text_of(agent_key), bytes_of((void *)1, 99), text_of("shop.order"), text_of(hash)}, PG_ALLOWED, PG_FORBIDDEN},
        {{PG_COMMITTED_WITH_PRINCIPAL, text_of(stranger_key), text_of(human_key), text_of("shop.order"), text_of(hash)}, PG_FORBIDDEN, PG_ALLOWED},
        {{PG_COMMITTED_WITH_PRINCIPAL, text_of(agent_key), text_of(stranger_key), text_of("shop.order"), text_of(hash)}, PG_FORBIDDEN, PG_FORBIDDEN},
        {{PG_COMMITTED_WITH_PRINCIPAL, text_of(agent_key), text_of(human_key), text_of("shop.order"), text_of("other")}, PG_CONFLICT, PG_ALLOWED},
        {{0, text_of(agent_key), text_of(human_key), text_of("shop.order"), text_of(hash)}, PG_ERROR_ENUM, PG_ERROR_ENUM},
        {{PG_COMMITTED_WITH_PRINCIPAL, text_of(agent_key), text_of(""), text_of("shop.order"), text_of(hash)}, PG_FORBIDDEN, PG_FORBIDDEN},
        {{PG_COMMITTED_WITH_PRINCIPAL, text_of(agent_key), bytes_of("\xff", 1), text_of("shop.order"), text_of(hash)}, PG_FORBIDDEN, PG_FORBIDDEN},
        {{PG_COMMITTED_WITHOUT_PRINCIPAL, text_of(""), text_of(""), text_of("shop.order"), text_of(hash)}, PG_FORBIDDEN, PG_FORBIDDEN},
    };
    for (size_t i = 0; i < sizeof commits / sizeof *commits; i++) {
        show(&with, token, agent, "COMMIT", hash);
        CHECK(pg_replay(shop, &with.presented, text_of(hash), &commits[i].of, NULL) == commits[i].replay);
        free(with.proof);
        show(&with, token, agent, "UNDO", "r-1");
        CHECK(pg_undo(shop, &with.presented, text_of("r-1"), &commits[i].of, NULL) == commits[i].undo);
        free(with.proof);
    }
    show(&with, token, agent, "EXPAND", "h-1");
    const struct {
        pg_owner owner;
        pg_code code;
    } owners[] = {
        {{PG_OWNER_ANYONE, bytes_of((void *)1, 99)}, PG_ALLOWED},   {{PG_OWNER_KEY, text_of(agent_key)}, PG_ALLOWED},
        {{PG_OWNER_KEY, text_of(stranger_key)}, PG_FORBIDDEN},     {{PG_OWNER_KEY, text_of("")}, PG_FORBIDDEN},
        {{PG_OWNER_KEY, bytes_of("\xff", 1)}, PG_FORBIDDEN},       {{0, text_of(agent_key)}, PG_ERROR_ENUM},
    };
    for (size_t i = 0; i < sizeof owners / sizeof *owners; i++) {
        CHECK(pg_expand(shop, &with.presented, text_of("h-1"), &owners[i].owner, NULL) == owners[i].code);
    }
    // Who owns what is made for it: nobody, where nobody is bound.
    pg_decision *decision;
    pg_text *text;
    with.presented.possession = PG_POSSESSION_NONE;
    CHECK(pg_expand(shop, &with.presented, text_of("h-1"), &owners[0].owner, &decision) == PG_ALLOWED);
    CHECK(pg_decision_holder(decision, &text) == PG_ABSENT && text == NULL);
    pg_decision_free(decision);
    with.presented.possession = PG_POSSESSION_PROOF;
    CHECK(pg_expand(shop, &with.presented, text_of("h-1"), &owners[1].owner, &decision) == PG_ALLOWED);
    CHECK(pg_decision_holder(decision, &text) == PG_OK && is_text(pg_text_bytes(text), agent_key));
    pg_text_free(text);
    pg_decision_free(decision);
    free(with.proof);
    free(token);
}

static void possession_is_said_and_never_assumed(void) {
    char *token = grant_of(human, agent_key, "{\"can\":[\"shop.*\"]}");
    shown with;
    show(&with, token, agent, "ASK", "shop.order");
    const struct {
        uint32_t kind;
        pg_bytes what;
        pg_code code;
    } kinds[] = {
        {PG_POSSESSION_PROOF, text_of(with.proof), PG_ALLOWED},
        {PG_POSSESSION_NONE, bytes_of((void *)1, 99), PG_UNAUTHORIZED},
        {PG_POSSESSION_NONE, bytes_of(NULL, 99), PG_UNAUTHORIZED},
        {PG_POSSESSION_ASSUME_PROVEN, text_of(agent_key), PG_ALLOWED},
        {PG_POSSESSION_ASSUME_PROVEN, text_of(stranger_key), PG_UNAUTHORIZED},
        {PG_POSSESSION_ASSUME_PROVEN, text_of("no key"), PG_ERROR_INPUT},
        {PG_POSSESSION_ASSUME_PROVEN, bytes_of("\xff", 1), PG_ERROR_UTF8},
        {PG_POSSESSION_PROOF, bytes_of("\xff", 1), PG_UNAUTHORIZED},
        {PG_POSSESSION_PROOF, bytes_of(NULL, 0), PG_UNAUTHORIZED},
        {PG_POSSESSION_PROOF, bytes_of(NULL, 5), PG_ERROR_NULL},
        {PG_POSSESSION_PROOF, bytes_of("x", SIZE_MAX), PG_ERROR_LENGTH},
        {0, text_of(with.proof), PG_ERROR_ENUM},
        {UINT32_MAX, text_of(agent_key), PG_ERROR_ENUM},
    };
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        with.presented.possession = kinds[i].kind;
        with.presented.possessed = kinds[i].what;
        CHECK(pg_ask(shop, &with.presented, text_of("shop.order"), NULL) == kinds[i].code);
    }
    free(with.proof);
    free(token);
}

// No number means something in two places, and none but the constants means anything.
static void kinds_are_of_one_place(void) {
    const struct {
        uint32_t place, kind;
    } own[] = {{0, PG_POSSESSION_NONE}, {0, PG_POSSESSION_PROOF}, {0, PG_POSSESSION_ASSUME_PROVEN},
               {1, PG_ORIGIN_ANONYMOUS}, {1, PG_ORIGIN_WITHOUT_GRANT}, {1, PG_ORIGIN_WITH_GRANT},
               {2, PG_COMMITTED_WITHOUT_PRINCIPAL}, {2, PG_COMMITTED_WITH_PRINCIPAL},
               {3, PG_OWNER_ANYONE}, {3, PG_OWNER_KEY}};
    enum { OWN = sizeof own / sizeof *own };
    pg_presentable none;
    pg_presented presented = {&none, 0, PG_POSSESSION_ASSUME_PROVEN, text_of(agent_key), NOW};
    pg_id id = named("a");
    // Beyond 65,536, so that nothing is cut to a byte or two; then as if a sign or the upper half were lost.
    for (uint64_t i = 0; i < 0x10200; i++) {
        uint32_t kind = (uint32_t)(i < 0x10100 ? i : i < 0x10180 ? 0x80000000u + (i - 0x10100) : 0u - (i - 0x1017f));
        pg_pending *pending;
        pg_presented shows = presented;
        shows.possession = kind;
        pg_origin whose = {kind, text_of(agent_key), text_of(human_key)};
        pg_committed of = {kind, text_of(agent_key), text_of(human_key), text_of("shop.order"), text_of(hash)};
        pg_owner owner = {kind, text_of(agent_key)};
        pg_code said[][2] = {
            {pg_ask(shop, &shows, text_of("a"), NULL), pg_expand(shop, &shows, text_of("h"), &(pg_owner){PG_OWNER_ANYONE, {NULL, 0}}, NULL)},
            {pg_commit(shop, &presented, text_of(PROPOSAL), text_of(hash), &whose, &id, &pending, NULL), 0},
            {pg_undo(shop, &presented, text_of("r"), &of, NULL), pg_replay(shop, &presented, text_of(hash), &of, NULL)},
            {pg_expand(shop, &presented, text_of("h"), &owner, NULL), 0},
        };
        CHECK(pending == NULL);
        said[1][1] = pg_auto_commit(shop, &presented, text_of(PROPOSAL), text_of("a"), text_of("f"), &whose, &id, &pending, NULL);
        CHECK(pending == NULL);
        said[3][1] = said[3][0];
        int places = 0;
        for (unsigned j = 0; j < OWN; j++) places += own[j].kind == kind;
        CHECK(places <= 1 && (places == 0 || kind > 1));
        for (uint32_t place = 0; place < 4; place++) {
            int is_own = 0;
            for (unsigned j = 0; j < OWN; j++) is_own |= own[j].place == place && own[j].kind == kind;
            CHECK((said[place][0] != PG_ERROR_ENUM) == is_own && (said[place][1] != PG_ERROR_ENUM) == is_own);
        }
    }
}

// An error that is ignored allows nothing.
static void what_an_error_leaves_is_refused(void) {
    char *token = grant_of(human, agent_key, "{\"spend\":{\"currency\":\"USD\",\"max\":4000}}");
    pg_ledger *ledger;
    pg_pending *pending;
    pg_decision *decision;
    pg_demand demand;
    uint64_t total;
    pg_id none;
    CHECK(pg_ledger_new(NULL, &ledger) == PG_OK);
    CHECK(pg_pending_demand(NULL, &demand) == PG_ERROR_NULL);
    CHECK(demand.line_count == 1 && demand.lines[0].max == 0 && demand.amount == UINT64_MAX);
    pg_code said = pg_ledger_reserve(ledger, &demand);
    CHECK(said == PG_EXCEEDED);
    CHECK(commit(shop, token, "a", &pending, NULL) == PG_PENDING);
    CHECK(pg_pending_answer(pending, said, NULL) == PG_CONSENT_REQUIRED);
    pg_pending_free(pending);
    // A name that was not made is none.
    memset(&none, 7, sizeof none);
    CHECK(pg_reservation_of(text_of(""), &none) == PG_ERROR_INPUT);
    pg_id zeros = {{0}};
    CHECK(memcmp(&none, &zeros, sizeof zeros) == 0);
    memset(&none, 7, sizeof none);
    CHECK(pg_reservation_of(bytes_of("\xff", 1), &none) == PG_ERROR_UTF8 && memcmp(&none, &zeros, sizeof zeros) == 0);
    shown with;
    show(&with, token, agent, "COMMIT", hash);
    pg_origin whose = origin();
    decision = (pg_decision *)token;
    pending = (pg_pending *)token;
    CHECK(pg_commit(shop, &with.presented, text_of(PROPOSAL), text_of(hash), &whose, &zeros, &pending, &decision) == PG_ERROR_INPUT);
    CHECK(pending == NULL && decision == NULL);
    // One bit of it is a name.
    for (int i = 0; i < 32; i += 31) {
        pg_id least = {{0}};
        least.bytes[i] = 1;
        CHECK(pg_commit(shop, &with.presented, text_of(PROPOSAL), text_of(hash), &whose, &least, &pending, NULL) == PG_PENDING);
        pg_pending_free(pending);
    }
    free(with.proof);
    show(&with, token, agent, "INTENT", "auto:shop.order:f-1");
    CHECK(pg_auto_commit(shop, &with.presented, text_of(PROPOSAL), text_of("shop.order"), text_of("f-1"), &whose, &zeros, &pending,
                         &decision) == PG_ERROR_INPUT);
    CHECK(pending == NULL && decision == NULL);
    CHECK(pg_ledger_total(ledger, &zeros, &total) == PG_OK && total == 0);
    pg_ledger_free(ledger);
    free(with.proof);
    free(token);
}

static void a_word_of_the_ledger_is_handed_on_as_it_is(void) {
    char *spend = grant_of(human, agent_key, "{\"spend\":{\"currency\":\"USD\",\"max\":4000}}");
    char *per = grant_of(human, agent_key, "{\"per\":{\"currency\":\"USD\",\"max\":100}}");
    shown with;
    show(&with, spend, agent, "COMMIT", hash);
    pg_presentable grants[] = {{.token = text_of(spend)}, {.token = text_of(per)}};
    with.presented.grants = grants;
    with.presented.grant_count = 2;
    pg_origin whose = origin();
    pg_id id = named("a");
    // Where a name is taken, a consent would change nothing.
    const pg_code words[][2] = {{PG_RESERVED, PG_ALLOWED}, {PG_EXCEEDED, PG_CONSENT_REQUIRED}, {PG_FULL, PG_CONSENT_REQUIRED}, {PG_TAKEN, PG_UNAVAILABLE}};
    for (int i = 0; i < 4; i++) {
        pg_pending *pending;
        CHECK(pg_commit(shop, &with.presented, text_of(PROPOSAL), text_of(hash), &whose, &id, &pending, NULL) == PG_PENDING);
        CHECK(pg_pending_answer(pending, words[i][0], NULL) == words[i][1]);
        pg_pending_free(pending);
    }
    free(with.proof);
    free(spend);
    free(per);
}

static void each_limit_is_of_its_own_thing(void) {
    pg_bytes keys[] = {text_of(human_key)};
    pg_bytes caveats[] = {text_of("{\"can\":[\"shop.*\"]}"), text_of("{\"exp\":1790000900}")};
    pg_text *text;
    pg_grant *kept;
    // Two blocks with a caveat each, and one block with two.
    char *first = grant_of(human, stranger_key, "{\"can\":[\"shop.*\"]}");
    CHECK(pg_verifier_verify(shop, text_of(first), &kept, NULL) == PG_OK);
    CHECK(pg_delegate(kept, stranger, text_of(agent_key), &caveats[1], 1, NOW - 50, &text, NULL) == PG_OK);
    char *chain = take_text(text);
    CHECK(pg_issue(human, text_of(agent_key), caveats, 2, NOW - 100, text_of("n"), &text, NULL) == PG_OK);
    char *block = take_text(text);
    shown with;
    show(&with, block, agent, "ASK", "shop.order");
    size_t token = strlen(block), proof = strlen(with.proof);
    const size_t all = SIZE_MAX;
    const struct {
        pg_limits limits;
        const char *token;
        size_t grants;
        pg_code code;
    } rows[] = {
        {{token, all, all, all, all, all, all}, block, 1, PG_ALLOWED},
        {{token - 1, all, all, all, all, all, all}, block, 1, PG_UNAUTHORIZED},
        {{all, 1, all, all, all, all, all}, block, 1, PG_ALLOWED},
        {{all, 1, all, all, all, all, all}, chain, 1, PG_UNAUTHORIZED},
        {{all, 2, all, all, all, all, all}, chain, 1, PG_ALLOWED},
        {{all, all, 1, all, all, all, all}, chain, 1, PG_ALLOWED},
        {{all, all, 1, all, all, all, all}, block, 1, PG_UNAUTHORIZED},
        {{all, all, 2, all, all, all, all}, block, 1, PG_ALLOWED},
        {{all, all, all, 1, all, all, all}, block, 1, PG_ALLOWED},
        {{all, all, all, 1, all, all, all}, block, 2, PG_UNAUTHORIZED},
        {{all, all, all, 2, all, all, all}, block, 2, PG_ALLOWED},
        {{all, all, all, all, 6, all, all}, block, 7, PG_ALLOWED},
        {{all, all, all, all, 3, all, all}, block, 1, PG_UNAUTHORIZED},
        {{all, all, all, all, all, proof, all}, block, 1, PG_ALLOWED},
        {{all, all, all, all, all, proof - 1, all}, block, 1, PG_UNAUTHORIZED},
        // Some words, the service's id, the verb, the capability and the time: less than the proof with its key and signature.
        {{all, all, all, all, all, all, proof - 1}, block, 1, PG_ALLOWED},
        {{all, all, all, all, all, all, strlen(SERVICE)}, block, 1, PG_UNAUTHORIZED},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        pg_presentable grants[7];
        for (int j = 0; j < 7; j++) grants[j] = (pg_presentable){.token = text_of(rows[i].token)};
        with.presented.grants = grants;
        with.presented.grant_count = rows[i].grants;
        pg_settings settings = {text_of(SERVICE), keys, 1, NULL, 0, &rows[i].limits};
        pg_verifier *other;
        CHECK(pg_verifier_new(&settings, &other) == PG_OK);
        pg_code code = pg_ask(other, &with.presented, text_of("shop.order"), NULL);
        if (code != rows[i].code) fprintf(stderr, "limits, row %zu: %u\n", i, (unsigned)code);
        CHECK(code == rows[i].code);
        pg_verifier_free(other);
    }
    pg_grant_free(kept);
    free(with.proof);
    free(first);
    free(chain);
    free(block);
}

static void a_demand_is_of_its_whole_grant(void) {
    char *first = grant_of(human, stranger_key, "{\"can\":[\"shop.*\"]}");
    pg_bytes caveat = text_of("{\"spend\":{\"currency\":\"USD\",\"max\":4000}}");
    pg_grant *kept;
    pg_text *text;
    pg_pending *pending;
    pg_decision *decision;
    pg_demand demand;
    size_t index;
    pg_id id;
    CHECK(pg_verifier_verify(shop, text_of(first), &kept, NULL) == PG_OK);
    CHECK(pg_delegate(kept, stranger, text_of(agent_key), &caveat, 1, NOW - 50, &text, NULL) == PG_OK);
    char *chain = take_text(text);
    CHECK(commit(shop, chain, "a", &pending, &decision) == PG_PENDING && pg_pending_demand(pending, &demand) == PG_OK);
    pg_id grant = demand.grant, block = demand.lines[0].block;
    CHECK(demand.line_count == 1 && memcmp(&grant, &block, sizeof grant) != 0);
    CHECK(pg_pending_answer(pending, PG_RESERVED, &decision) == PG_ALLOWED);
    CHECK(pg_decision_grant(decision, &index, &id) == PG_OK && memcmp(&grant, &id, sizeof id) == 0);
    pg_decision_free(decision);
    pg_pending_free(pending);
    pg_grant_free(kept);
    free(first);
    free(chain);
}

static void a_commit_may_be_authenticated_by_other_means(void) {
    char *token = grant_of(human, agent_key, "{\"spend\":{\"currency\":\"USD\",\"max\":4000}}");
    pg_presentable grant = {.token = text_of(token)};
    pg_origin whose = origin();
    pg_id id = named("a");
    const struct {
        uint32_t kind;
        const char *key;
        pg_code code;
    } rows[] = {{PG_POSSESSION_ASSUME_PROVEN, agent_key, PG_PENDING},
                {PG_POSSESSION_ASSUME_PROVEN, stranger_key, PG_FORBIDDEN},
                {PG_POSSESSION_NONE, agent_key, PG_UNAUTHORIZED},
                {PG_POSSESSION_PROOF, agent_key, PG_UNAUTHORIZED}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        pg_presented presented = {&grant, 1, rows[i].kind, text_of(rows[i].key), NOW};
        pg_pending *pending;
        CHECK(pg_commit(shop, &presented, text_of(PROPOSAL), text_of(hash), &whose, &id, &pending, NULL) == rows[i].code);
        pg_pending_free(pending);
        CHECK(pg_auto_commit(shop, &presented, text_of(PROPOSAL), text_of("shop.order"), text_of("f"), &whose, &id, &pending, NULL) ==
              rows[i].code);
        pg_pending_free(pending);
    }
    free(token);
}

static void null_and_crooked_pointers_are_errors(void) {
    char *token = grant_of(human, agent_key, "{\"can\":[\"shop.*\"]}");
    shown with;
    show(&with, token, agent, "ASK", "shop.order");
    // What stood in a place for a result is gone after an error too.
    pg_decision *decision = (pg_decision *)token;
    CHECK(pg_ask(NULL, &with.presented, text_of("shop.order"), &decision) == PG_ERROR_NULL && decision == NULL);
    CHECK(pg_ask(shop, NULL, text_of("shop.order"), NULL) == PG_ERROR_NULL);
    CHECK(pg_ask(shop, &with.presented, bytes_of(NULL, 1), NULL) == PG_ERROR_NULL);
    CHECK(pg_ask(shop, &with.presented, bytes_of("x", (size_t)INT64_MAX + 1), NULL) == PG_ERROR_LENGTH);
    CHECK(pg_ask(shop, (const pg_presented *)((uintptr_t)&with.presented + 1), text_of("shop.order"), NULL) == PG_ERROR_NULL);
    with.presented.grant_count = SIZE_MAX / 2;
    CHECK(pg_ask(shop, &with.presented, text_of("shop.order"), NULL) == PG_ERROR_LENGTH);
    with.presented.grants = NULL;
    with.presented.grant_count = 1;
    CHECK(pg_ask(shop, &with.presented, text_of("shop.order"), NULL) == PG_ERROR_NULL);
    with.presented.grant_count = 0;
    CHECK(pg_ask(shop, &with.presented, text_of("shop.order"), NULL) == PG_UNAUTHORIZED);
    // Without a place for what waits, nothing begins; but the decision's place is as empty as ever.
    pg_origin whose = origin();
    pg_id id = named("a");
    pg_pending *pending = (pg_pending *)token;
    decision = (pg_decision *)token;
    CHECK(pg_commit(shop, &with.presented, text_of(PROPOSAL), text_of(hash), &whose, &id, NULL, &decision) == PG_ERROR_NULL);
    CHECK(decision == NULL);
    CHECK(pg_commit(shop, &with.presented, text_of(PROPOSAL), text_of(hash), &whose, NULL, &pending, NULL) == PG_ERROR_NULL);
    CHECK(pending == NULL);
    CHECK(pg_commit(shop, &with.presented, text_of(PROPOSAL), text_of(hash), NULL, &id, &pending, NULL) == PG_ERROR_NULL);
    CHECK(pg_pending_answer(NULL, PG_RESERVED, NULL) == PG_ERROR_NULL && pg_decision_code(NULL) == PG_ERROR_NULL);
    CHECK(pg_text_bytes(NULL).length == 0 && pg_code_name(12345).length == 0 && is_text(pg_code_name(PG_ALLOWED), "allowed"));
    pg_verifier_free(NULL);
    pg_grant_free(NULL);
    pg_decision_free(NULL);
    pg_pending_free(NULL);
    pg_ledger_free(NULL);
    pg_claims_free(NULL);
    pg_claim_free(NULL);
    pg_text_free(NULL);
    pg_seed_free(NULL);
    free(with.proof);
    free(token);
}

static void no_panic_crosses(void) {
    for (int i = 0; i < 3; i++) CHECK(pg_case_panic() == PG_ERROR_PANIC);
    pg_text *text;
    CHECK(pg_canonicalize(text_of("{ }"), &text, NULL) == PG_OK && is_text(pg_text_bytes(text), "{}"));
    pg_text_free(text);
}

enum { THREADS = 8, EACH = 50 };

typedef struct {
    const pg_grant *kept;
    const pg_ledger *ledger;
    const pg_claims *claims;
    int number;
    unsigned allowed, asked, first;
} worker;

static void *work(void *argument) {
    worker *self = argument;
    shown with;
    show(&with, "", agent, "COMMIT", hash);
    with.grant = (pg_presentable){.kept = self->kept};
    pg_origin whose = origin();
    for (int i = 0; i < EACH; i++) {
        char name[32], thing[32];
        snprintf(name, sizeof name, "%d-%d", self->number, i);
        snprintf(thing, sizeof thing, "%d", i);
        pg_id id = named(name);
        pg_pending *pending;
        pg_demand demand;
        CHECK(pg_commit(shop, &with.presented, text_of(PROPOSAL), text_of(hash), &whose, &id, &pending, NULL) == PG_PENDING);
        CHECK(pg_pending_demand(pending, &demand) == PG_OK);
        pg_code code = pg_pending_answer(pending, pg_ledger_reserve(self->ledger, &demand), NULL);
        CHECK(code == PG_ALLOWED || code == PG_CONSENT_REQUIRED);
        code == PG_ALLOWED ? self->allowed++ : self->asked++;
        pg_pending_free(pending);
        pg_claim *claim;
        pg_ticket ticket;
        CHECK(pg_claim_for_other(text_of("k"), text_of(thing), NOW + 1, &claim) == PG_OK);
        self->first += pg_claims_claim(self->claims, claim, NOW, &ticket) == PG_FIRST;
        pg_claim_free(claim);
    }
    free(with.proof);
    return NULL;
}

static void threads_share_all_but_what_waits(void) {
    // Room for just a hundred of them.
    char *token = grant_of(human, agent_key, "{\"spend\":{\"currency\":\"USD\",\"max\":250000}}");
    pg_grant *kept;
    pg_ledger *ledger;
    pg_claims *claims;
    CHECK(pg_verifier_verify(shop, text_of(token), &kept, NULL) == PG_OK);
    CHECK(pg_ledger_new(NULL, &ledger) == PG_OK && pg_claims_new(1000, &claims) == PG_OK);
    pthread_t threads[THREADS];
    worker workers[THREADS];
    unsigned allowed = 0, asked = 0, first = 0;
    for (int i = 0; i < THREADS; i++) {
        workers[i] = (worker){.kept = kept, .ledger = ledger, .claims = claims, .number = i};
        CHECK(pthread_create(&threads[i], NULL, work, &workers[i]) == 0);
    }
    for (int i = 0; i < THREADS; i++) {
        CHECK(pthread_join(threads[i], NULL) == 0);
        allowed += workers[i].allowed;
        asked += workers[i].asked;
        first += workers[i].first;
    }
    CHECK(allowed == 100 && asked == THREADS * EACH - 100 && first == EACH);
    pg_grant_free(kept);
    pg_ledger_free(ledger);
    pg_claims_free(claims);
    free(token);
}

int main(void) {
    make_world();
    a_request_is_allowed_and_says_for_whom();
    what_is_no_text_is_no_token_beside_good_ones();
    a_kept_grant_is_presented_again_and_outlives_its_verifier();
    settings_bind();
    a_commit_is_allowed_by_its_ledger_alone();
    a_ledger_has_its_bounds_and_forgets_what_it_may();
    a_consent_counts_once();
    an_auto_commit_is_one_of_its_frame();
    what_was_recorded_binds();
    possession_is_said_and_never_assumed();
    kinds_are_of_one_place();
    what_an_error_leaves_is_refused();
    a_word_of_the_ledger_is_handed_on_as_it_is();
    each_limit_is_of_its_own_thing();
    a_demand_is_of_its_whole_grant();
    a_commit_may_be_authenticated_by_other_means();
    null_and_crooked_pointers_are_errors();
    no_panic_crosses();
    threads_share_all_but_what_waits();
    end_world();
    puts("flows: OK");
    return 0;
}
