// Calls of every function with whatever handles, texts, lengths and numbers chance gives, within what the header defines:
// `boundary CALLS SEED`; with FUZZ, an input is the chance. The sanitizers see what is read, kept or freed wrongly; here it is seen that no answer is out of its kind, and
// that no place for a result is left as it was.

#include "common.h"

#define SERVICE "shop.example"
#define NOW INT64_C(1790000000)

#ifdef FUZZ

static const uint8_t *input;
static size_t input_left;

static uint32_t chance(uint32_t below) {
    uint32_t drawn = 0;
    for (uint32_t range = below - 1; range > 0; range >>= 8) {
        drawn <<= 8;
        if (input_left > 0) {
            drawn |= *input++;
            input_left--;
        }
    }
    return drawn % below;
}

#else

static uint64_t state;

static uint32_t chance(uint32_t below) {
    state += UINT64_C(0x9e3779b97f4a7c15);
    uint64_t mixed = state;
    mixed = (mixed ^ (mixed >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    mixed = (mixed ^ (mixed >> 27)) * UINT64_C(0x94d049bb133111eb);
    return (uint32_t)((mixed ^ (mixed >> 31)) % below);
}

#endif

// In half of the calls nothing is out of the ordinary but which of the good things is taken, so that they get far.
static int is_careful;

static int seldom(uint32_t below) {
    return !is_careful && chance(below) == 0;
}

// Good texts, as C strings.
enum { KEY, TOKEN, PROOF, PROPOSAL, HASH, NAME, JSON, SEED, CAVEAT, VERB, KINDS };
static char *good[KINDS][8];
static unsigned goods[KINDS];

static void add(int kind, char *text) {
    CHECK(goods[kind] < 8);
    good[kind][goods[kind]++] = text;
}

static char *copy_of(const char *text) {
    char *copy = malloc(strlen(text) + 1);
    CHECK(copy != NULL);
    return strcpy(copy, text);
}

// Every text is in memory of just its size, until the end of the call.
static void *arena[256];
static unsigned arenas;

static void *memory(size_t size) {
    CHECK(arenas < sizeof arena / sizeof *arena);
    void *data = malloc(size == 0 ? 1 : size);
    CHECK(data != NULL);
    memset(data, 0xa5, size == 0 ? 1 : size);
    return arena[arenas++] = data;
}

static pg_bytes any(int kind) {
    switch (is_careful ? 23 : chance(24)) {
    case 0: return bytes_of(NULL, 0);
    case 1: return bytes_of(NULL, 1);
    case 2: return bytes_of(NULL, SIZE_MAX);
    case 3: return bytes_of(memory(1), SIZE_MAX - chance(3));
    case 4: return bytes_of(memory(1), 0);
    case 5: {
        size_t length = 1 + chance(200);
        uint8_t *data = memory(length);
        for (size_t i = 0; i < length; i++) data[i] = (uint8_t)chance(256);
        return bytes_of(data, length);
    }
    case 6: kind = (int)chance(KINDS);
    }
    const char *text = good[kind][chance(goods[kind])];
    size_t length = strlen(text);
    uint8_t *data = memory(length);
    memcpy(data, text, length);
    if (length > 0 && seldom(12)) data[chance((uint32_t)length)] ^= (uint8_t)(1 << chance(8));
    if (length > 0 && seldom(12)) {
        length = chance((uint32_t)length);
        uint8_t *cut = memory(length);
        memcpy(cut, data, length);
        data = cut;
    }
    return bytes_of(data, length);
}

static int64_t any_time(void) {
    const int64_t times[] = {INT64_MIN, -1, 0, NOW + 601, INT64_MAX};
    return seldom(8) ? times[chance(5)] : NOW;
}

static uint32_t any_kind(uint32_t usual) {
    const uint32_t kinds[] = {0, 1, 2, UINT32_MAX, usual + 1, usual - 1, PG_POSSESSION_NONE, PG_POSSESSION_ASSUME_PROVEN,
                              PG_ORIGIN_ANONYMOUS, PG_COMMITTED_WITHOUT_PRINCIPAL, PG_OWNER_ANYONE};
    return seldom(4) ? kinds[chance(sizeof kinds / sizeof *kinds)] : usual;
}

// Handles, of which some are always null.
enum { SLOTS = 6 };
#define POOL(type)                                                    \
    static pg_##type *type##s_[SLOTS];                                \
    static pg_##type *any_##type(void) {                              \
        return seldom(10) ? NULL : type##s_[1 + chance(SLOTS - 1)]; \
    }                                                                 \
    static void keep_##type(pg_##type *handle) {                      \
        if (handle == NULL) return;                                   \
        unsigned slot = 1 + chance(SLOTS - 1);                        \
        pg_##type##_free(type##s_[slot]);                             \
        type##s_[slot] = handle;                                      \
    }
// pg_text_free, pg_verifier_free, pg_grant_free, pg_decision_free, pg_pending_free, pg_ledger_free, pg_claims_free, pg_claim_free and
// pg_seed_free are called by these.
POOL(text) POOL(verifier) POOL(grant) POOL(decision) POOL(pending) POOL(ledger) POOL(claims) POOL(claim) POOL(seed)

static pg_id ids[4];

static void make_ids(void) {
    for (unsigned char i = 0; i < 4; i++) memset(&ids[i], i + 1, sizeof ids[i]);
}

static const pg_id *any_id(void) {
    if (seldom(12)) return NULL;
    pg_id *id = memory(sizeof *id);
    *id = ids[chance(4)];
    if (seldom(12)) memset(id, 0, sizeof *id);
    return id;
}

static const pg_presented *any_presented(void) {
    if (seldom(16)) return NULL;
    pg_presented *presented = memory(sizeof *presented);
    size_t count = chance(8) == 0 ? chance(20) : 1;
    pg_presentable *grants = memory(count * sizeof *grants);
    for (size_t i = 0; i < count; i++) {
        grants[i].kept = chance(3) == 0 ? any_grant() : NULL;
        grants[i].token = grants[i].kept != NULL && !seldom(8) ? bytes_of(NULL, 0) : any(TOKEN);
    }
    presented->grants = seldom(24) ? NULL : grants;
    presented->grant_count = presented->grants == NULL && chance(2) == 0 ? SIZE_MAX - chance(9) : count;
    presented->possession = any_kind(PG_POSSESSION_PROOF);
    presented->possessed = any(presented->possession == PG_POSSESSION_ASSUME_PROVEN ? KEY : PROOF);
    presented->now = any_time();
    return presented;
}

static const pg_origin *any_origin(void) {
    if (seldom(16)) return NULL;
    pg_origin *whose = memory(sizeof *whose);
    *whose = (pg_origin){any_kind(PG_ORIGIN_WITH_GRANT), any(KEY), any(KEY)};
    return whose;
}

static const pg_committed *any_committed(void) {
    if (seldom(16)) return NULL;
    pg_committed *of = memory(sizeof *of);
    *of = (pg_committed){any_kind(PG_COMMITTED_WITH_PRINCIPAL), any(KEY), any(KEY), any(NAME), any(HASH)};
    return of;
}

static const pg_owner *any_owner(void) {
    if (seldom(16)) return NULL;
    pg_owner *owner = memory(sizeof *owner);
    *owner = (pg_owner){any_kind(PG_OWNER_KEY), any(KEY)};
    return owner;
}

static const pg_demand *any_demand(void) {
    if (seldom(16)) return NULL;
    pg_demand *demand = memory(sizeof *demand);
    if (chance(2) == 0 && pg_pending_demand(any_pending(), demand) == PG_OK) return demand;
    size_t count = chance(4);
    pg_spend_line *lines = memory(count * sizeof *lines);
    for (size_t i = 0; i < count; i++) {
        lines[i] = (pg_spend_line){ids[chance(4)], chance(3) == 0 ? UINT64_MAX : chance(9000), any_kind(chance(2)), any_time()};
    }
    *demand = (pg_demand){ids[chance(4)], any(HASH), ids[chance(4)], chance(3) == 0 ? UINT64_MAX : chance(3000), any_time(),
                          seldom(16) ? NULL : lines, count};
    return demand;
}

static const pg_ticket *any_ticket(void) {
    if (seldom(16)) return NULL;
    pg_ticket *ticket = memory(sizeof *ticket);
    *ticket = (pg_ticket){ids[chance(4)], chance(8)};
    return ticket;
}

static const pg_bytes *any_caveats(size_t *count) {
    *count = chance(4);
    pg_bytes *caveats = memory(*count * sizeof *caveats);
    for (size_t i = 0; i < *count; i++) caveats[i] = any(CAVEAT);
    return seldom(16) ? NULL : caveats;
}

// How often each call said what.
static struct {
    const char *call;
    pg_code code;
    unsigned long times;
} seen[512];
static unsigned pairs;

static pg_code note(const char *call, pg_code code) {
    CHECK(pg_code_name(code).length > 0);
    CHECK(code != PG_ERROR_PANIC && code != PG_ERROR_POISONED);
    for (unsigned i = 0; i < pairs; i++) {
        if (seen[i].code == code && strcmp(seen[i].call, call) == 0) {
            seen[i].times++;
            return code;
        }
    }
    CHECK(pairs < 512);
    seen[pairs].call = call;
    seen[pairs].code = code;
    seen[pairs++].times = 1;
    return code;
}

static void *const STALE = (void *)(uintptr_t)8;

// A call that makes one handle of `type` as its last argument.
#define MAKES(type, name, ...)                                                       \
    do {                                                                             \
        pg_##type *made_ = STALE;                                                    \
        int wanted_ = !seldom(16);                                               \
        pg_code code_ = note(#name, name(__VA_ARGS__, wanted_ ? &made_ : NULL));     \
        CHECK(wanted_ ? (made_ != NULL) == (code_ == PG_OK) : code_ == PG_ERROR_NULL); \
        if (wanted_) keep_##type(made_);                                             \
    } while (0)

// The same with a place for the reason behind it, which may be missing.
#define MAKES_OR_WHY(type, name, ...)                                                          \
    do {                                                                                       \
        pg_##type *made_ = STALE;                                                              \
        pg_text *why_ = STALE;                                                                 \
        int wanted_ = !seldom(16), reason_ = chance(2) != 0;                               \
        pg_code code_ = note(#name, name(__VA_ARGS__, wanted_ ? &made_ : NULL, reason_ ? &why_ : NULL)); \
        CHECK(wanted_ ? (made_ != NULL) == (code_ == PG_OK) : code_ == PG_ERROR_NULL);         \
        if (wanted_) keep_##type(made_);                                                       \
        if (reason_) {                                                                         \
            CHECK(why_ == NULL || code_ == PG_ERROR_INPUT);                                    \
            keep_text(why_);                                                                   \
        }                                                                                      \
    } while (0)

// A call that decides, with the decision's place as its last argument. It says PG_PENDING only if it may.
#define DECIDES(may_allow, may_wait, name, ...)                                          \
    do {                                                                                 \
        pg_decision *decision_ = STALE;                                                  \
        int wanted_ = chance(4) != 0;                                                    \
        pg_code code_ = note(#name, name(__VA_ARGS__, wanted_ ? &decision_ : NULL));     \
        CHECK(code_ != PG_OK && (may_allow || code_ != PG_ALLOWED) && (may_wait || code_ != PG_PENDING)); \
        CHECK(code_ < PG_RESERVED);                                                      \
        if (wanted_) {                                                                   \
            CHECK((decision_ != NULL) == (code_ >= PG_ALLOWED && code_ <= PG_UNAVAILABLE)); \
            CHECK(decision_ == NULL || pg_decision_code(decision_) == code_);            \
            keep_decision(decision_);                                                    \
        }                                                                                \
        last = code_;                                                                    \
    } while (0)

// A call that only answers with a code.
#define SAYS(name, ...) note(#name, name(__VA_ARGS__))

static void new_verifier(void) {
    pg_settings *settings = memory(sizeof *settings);
    size_t count = is_careful ? 1 : chance(3);
    pg_bytes *keys = memory(count * sizeof *keys);
    for (size_t i = 0; i < count; i++) keys[i] = seldom(4) ? any(KEY) : text_of(good[KEY][0]);
    size_t revoked = seldom(8) ? 2 : 0;
    pg_limits *limits = NULL;
    if (seldom(4)) {
        limits = memory(sizeof *limits);
        *limits = (pg_limits){chance(9000), chance(20), chance(80), chance(20), chance(40), chance(9000), chance(9000)};
    }
    *settings = (pg_settings){seldom(8) ? any(NAME) : text_of(SERVICE), seldom(16) ? NULL : keys, count, ids, revoked, limits};
    MAKES(verifier, pg_verifier_new, seldom(16) ? NULL : settings);
}

static void one_call(void) {
    pg_code last = PG_OK;
    pg_pending *pending = STALE, **place = seldom(16) ? NULL : &pending;
    size_t count, index;
    uint64_t total;
    int64_t time;
    pg_id id;
    pg_ticket ticket;
    const pg_bytes *caveats;
    switch (chance(52)) {
    case 0: MAKES_OR_WHY(text, pg_canonicalize, any(JSON)); break;
    case 1: MAKES_OR_WHY(text, pg_proposal_hash, any(PROPOSAL)); break;
    case 2: SAYS(pg_proposal_check, any(PROPOSAL), NULL); break;
    case 3: SAYS(pg_key_check, any(KEY)); break;
    case 4: MAKES(text, pg_proof_check_unbound, any(PROOF), text_of(SERVICE), any(VERB), any(NAME), any_time()); break;
    case 5:
        if (SAYS(pg_reservation_of, any(NAME), seldom(16) ? NULL : &id) == PG_OK) ids[chance(3)] = id;
        break;
    case 6: SAYS(pg_id_read, any(HASH), seldom(16) ? NULL : &id); break;
    case 7: MAKES(text, pg_id_write, any_id()); break;
    case 8: new_verifier(); break;
    case 9: MAKES_OR_WHY(grant, pg_verifier_verify, any_verifier(), any(TOKEN)); break;
    case 10: MAKES(text, pg_grant_describe, any_grant()); break;
    case 11: DECIDES(1, 0, pg_ask, any_verifier(), any_presented(), any(NAME)); break;
    case 12: DECIDES(1, 0, pg_intent, any_verifier(), any_presented(), any(NAME)); break;
    case 13: DECIDES(1, 0, pg_auto_intent, any_verifier(), any_presented(), any(NAME), any(NAME)); break;
    case 14: DECIDES(1, 0, pg_undo, any_verifier(), any_presented(), any(NAME), any_committed()); break;
    case 15: DECIDES(1, 0, pg_expand, any_verifier(), any_presented(), any(NAME), any_owner()); break;
    case 16: DECIDES(1, 0, pg_replay, any_verifier(), any_presented(), any(HASH), any_committed()); break;
    case 17: case 18: case 19: case 20: case 21: case 22:
        DECIDES(0, 1, pg_commit, any_verifier(), any_presented(), any(PROPOSAL), any(HASH), any_origin(), any_id(), place);
        goto began;
    case 23: case 24:
        DECIDES(0, 1, pg_auto_commit, any_verifier(), any_presented(), any(PROPOSAL), any(NAME), any(NAME), any_origin(),
                any_id(), place);
    began:
        CHECK(place != NULL || last == PG_ERROR_NULL);
        if (place != NULL) {
            CHECK((pending != NULL) == (last == PG_PENDING));
            keep_pending(pending);
        }
        break;
    case 25: case 26: {
        const uint32_t words[] = {PG_RESERVED, PG_EXCEEDED, PG_FULL, PG_TAKEN, PG_OK, PG_ALLOWED, UINT32_MAX};
        DECIDES(1, 1, pg_pending_answer, any_pending(), words[chance(7)]);
        break;
    }
    case 27: {
        pg_demand demand;
        if (SAYS(pg_pending_demand, any_pending(), seldom(16) ? NULL : &demand) == PG_OK) ids[3] = demand.grant;
        break;
    }
    case 28: SAYS(pg_decision_code, any_decision()); break;
    case 29: MAKES(text, pg_decision_consent, any_decision()); break;
    case 30: MAKES(text, pg_decision_log, any_decision()); break;
    case 31: MAKES(text, pg_decision_holder, any_decision()); break;
    case 32: MAKES(text, pg_decision_issuer, any_decision()); break;
    case 33: MAKES(text, pg_decision_capability, any_decision()); break;
    case 34: MAKES(text, pg_decision_hash, any_decision()); break;
    case 35: SAYS(pg_decision_grant, any_decision(), seldom(16) ? NULL : &index, seldom(16) ? NULL : &id); break;
    case 36: MAKES(claim, pg_decision_auto_claim, any_decision(), any(NAME), any_time()); break;
    case 37: MAKES(claim, pg_decision_consent_claim, any_decision()); break;
    case 38: {
        pg_ledger_bounds bounds = {chance(4), chance(4), chance(4), chance(4)};
        MAKES(ledger, pg_ledger_new, chance(2) == 0 ? NULL : &bounds);
        break;
    }
    case 39: SAYS(pg_ledger_reserve, any_ledger(), any_demand()); break;
    case 40: SAYS(pg_ledger_settle, any_ledger(), any_id()); break;
    case 41: SAYS(pg_ledger_release, any_ledger(), any_id()); break;
    case 42: SAYS(pg_ledger_total, any_ledger(), any_id(), seldom(16) ? NULL : &total); break;
    case 43: MAKES(claims, pg_claims_new, chance(4)); break;
    case 44: SAYS(pg_claims_claim, any_claims(), any_claim(), any_time(), seldom(16) ? NULL : &ticket); break;
    case 45:
        SAYS(pg_claims_finish, any_claims(), any_ticket());
        SAYS(pg_claims_abandon, any_claims(), any_ticket());
        if (pg_claims_claim(any_claims(), any_claim(), NOW, &ticket) == PG_FIRST) {
            ids[chance(3)] = ticket.key;
            chance(2) == 0 ? SAYS(pg_claims_finish, any_claims(), &ticket) : SAYS(pg_claims_abandon, any_claims(), &ticket);
        }
        break;
    case 46:
        MAKES(claim, pg_claim_for_commit, any(HASH), any_time());
        MAKES(claim, pg_claim_for_auto, any(KEY), any(NAME), any_time(), any_time());
        MAKES(claim, pg_claim_for_consent, any(KEY), any(HASH), any_time());
        MAKES(claim, pg_claim_for_other, any(NAME), any(NAME), any_time());
        SAYS(pg_claim_parts, any_claim(), seldom(16) ? NULL : &id, seldom(16) ? NULL : &time);
        break;
    case 47: MAKES(seed, pg_seed_read, any(SEED)); MAKES(text, pg_seed_public, any_seed()); break;
    case 48:
        caveats = any_caveats(&count);
        MAKES_OR_WHY(text, pg_issue, any_seed(), any(KEY), caveats, count, any_time(), any(NAME));
        break;
    case 49:
        caveats = any_caveats(&count);
        MAKES_OR_WHY(text, pg_delegate, any_grant(), any_seed(), any(KEY), caveats, count, any_time());
        break;
    case 50:
        MAKES_OR_WHY(text, pg_consent, any_seed(), any(KEY), any(PROPOSAL), any(NAME), any_time(), any(NAME));
        MAKES_OR_WHY(text, pg_sign_proof, any_seed(), any(NAME), any(VERB), any(NAME), any_time());
        break;
    default: {
        MAKES(text, pg_case_answer, any(JSON));
        pg_bytes bytes = pg_text_bytes(any_text());
        unsigned sum = 0;
        for (size_t i = 0; i < bytes.length; i++) sum += bytes.data[i];
        CHECK(sum <= bytes.length * 255 && pg_version() == PG_VERSION);
    }
    }
}

static char *made(pg_code code, pg_text **text) {
    CHECK(code == PG_OK);
    return take_text(*text);
}

static void make_goods(void) {
    pg_text *text;
    const char *const caveats[] = {"{\"spend\":{\"currency\":\"USD\",\"max\":4000}}", "{\"can\":[\"shop.*\"]}", "{\"exp\":1790000900}"};
    const char *const names[] = {"shop.order", "f-1", SERVICE, "", "auto:shop.order:f-1"};
    const char *const verbs[] = {"ASK", "INTENT", "COMMIT", "UNDO", "EXPAND", "PAY"};
    for (int i = 0; i < 3; i++) add(CAVEAT, copy_of(caveats[i]));
    for (int i = 0; i < 5; i++) add(NAME, copy_of(names[i]));
    for (int i = 0; i < 6; i++) add(VERB, copy_of(verbs[i]));
    add(SEED, copy_of("BBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBA"));
    add(SEED, copy_of("BBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBE"));
    add(PROPOSAL, copy_of("{\"capability\":\"shop.order\",\"cost\":{\"amount\":2500,\"currency\":\"USD\"},\"effects\":[{\"op\":\"order\",\"target\":\"coffee\"}],"
                          "\"expires\":1790000600,\"id\":\"p-1\",\"risk\":\"low\",\"summary\":\"Coffee\",\"undo\":{\"window\":600}}"));
    add(HASH, made(pg_proposal_hash(text_of(good[PROPOSAL][0]), &text, NULL), &text));
    add(JSON, copy_of("{\"op\":\"canonical\",\"json\":\"[1, 2]\"}"));
    add(JSON, copy_of("{\"op\":\"hash\",\"proposal\":\"{}\"}"));
    pg_seed *seeds[2];
    for (int i = 0; i < 2; i++) {
        CHECK(pg_seed_read(text_of(good[SEED][i]), &seeds[i]) == PG_OK);
        add(KEY, made(pg_seed_public(seeds[i], &text), &text));
    }
    pg_bytes agent = text_of(good[KEY][1]), human = text_of(good[KEY][0]);
    for (int i = 0; i < 3; i++) {
        pg_bytes caveat = text_of(caveats[i]);
        add(TOKEN, made(pg_issue(seeds[0], agent, &caveat, 1, NOW, text_of("n"), &text, NULL), &text));
    }
    add(TOKEN, made(pg_issue(seeds[1], human, NULL, 0, NOW, text_of("n"), &text, NULL), &text));
    add(TOKEN, made(pg_consent(seeds[0], agent, text_of(good[PROPOSAL][0]), text_of(SERVICE), NOW, text_of("n"), &text, NULL), &text));
    const char *const purposes[][2] = {{"ASK", "shop.order"}, {"INTENT", "shop.order"}, {"INTENT", "auto:shop.order:f-1"},
                                       {"UNDO", "f-1"}, {"EXPAND", "f-1"}, {"COMMIT", NULL}, {"COMMIT", NULL}};
    for (int i = 0; i < 7; i++) {
        const char *target = purposes[i][1] == NULL ? good[HASH][0] : purposes[i][1];
        add(PROOF, made(pg_sign_proof(seeds[1], text_of(SERVICE), text_of(purposes[i][0]), text_of(target), NOW, &text, NULL), &text));
    }
    pg_seed_free(seeds[0]);
    pg_seed_free(seeds[1]);
}

static void call_once(void) {
    is_careful = (int)chance(2);
    one_call();
    while (arenas > 0) free(arena[--arenas]);
}

#define EMPTY(type)                                                 \
    for (int i = 0; i < SLOTS; i++) {                               \
        pg_##type##_free(type##s_[i]);                              \
        type##s_[i] = NULL;                                         \
    }

static void end_handles(void) {
    EMPTY(text) EMPTY(verifier) EMPTY(grant) EMPTY(decision) EMPTY(pending) EMPTY(ledger) EMPTY(claims) EMPTY(claim) EMPTY(seed)
}

#ifdef FUZZ

void boundary_input(const uint8_t *data, size_t length);

void boundary_input(const uint8_t *data, size_t length) {
    if (goods[KEY] == 0) make_goods();
    make_ids();
    input = data;
    input_left = length;
    while (input_left > 0) call_once();
    end_handles();
}

#else

int main(int count, char **arguments) {
    CHECK(count == 3);
    unsigned long calls = strtoul(arguments[1], NULL, 10), reached[3] = {0, 0, 0};
    state = strtoull(arguments[2], NULL, 10);
    make_goods();
    make_ids();
    for (unsigned long i = 0; i < calls; i++) call_once();
    end_handles();
    for (int kind = 0; kind < KINDS; kind++) {
        for (unsigned i = 0; i < goods[kind]; i++) free(good[kind][i]);
    }
    for (unsigned i = 0; i < pairs; i++) {
        reached[0] += seen[i].code == PG_ALLOWED;
        reached[1] += seen[i].code == PG_PENDING;
        reached[2] += seen[i].code == PG_CONSENT_REQUIRED;
        if (getenv("VERBOSE") != NULL) {
            pg_bytes name = pg_code_name(seen[i].code);
            printf("%s: %.*s %lu\n", seen[i].call, (int)name.length, (const char *)name.data, seen[i].times);
        }
    }
    // A run that gets nowhere would see nothing.
    CHECK(reached[0] >= 6 && reached[1] >= 2 && reached[2] >= 1);
    printf("boundary: %lu calls from seed %s, %u pairs of call and code\n", calls, arguments[2], pairs);
    return 0;
}

#endif
