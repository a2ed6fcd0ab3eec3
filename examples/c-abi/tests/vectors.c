// Every conformance case through the library: `vectors ANSWERS FILE...` writes the answers of pg_case_answer to ANSWERS, a line each, and
// compares what the real calls say with what the cases expect, for canonical, hash, proof, key, sign_proof, authorize and flow.

#include "common.h"

#include <jansson.h>

static pg_bytes string_of(const json_t *value) {
    return value == NULL ? bytes_of(NULL, 0) : bytes_of(json_string_value(value), json_string_length(value));
}

static pg_bytes field(const json_t *fields, const char *name) {
    return string_of(json_object_get(fields, name));
}

static int64_t int_field(const json_t *fields, const char *name) {
    return json_integer_value(json_object_get(fields, name));
}

static int is_null(const json_t *fields, const char *name) {
    const json_t *value = json_object_get(fields, name);
    return value == NULL || json_is_null(value);
}

static json_t *string_from(pg_text *text) {
    pg_bytes bytes = pg_text_bytes(text);
    json_t *string = json_stringn((const char *)bytes.data, bytes.length);
    CHECK(string != NULL);
    pg_text_free(text);
    return string;
}

static json_t *json_from(pg_text *text) {
    pg_bytes bytes = pg_text_bytes(text);
    json_t *value = json_loadb((const char *)bytes.data, bytes.length, JSON_ALLOW_NUL, NULL);
    CHECK(value != NULL);
    pg_text_free(text);
    return value;
}

// A text under test in memory of just its size, so that a byte too many is seen. `absent` when it is missing or null.
typedef struct {
    int absent;
    uint8_t *data;
    pg_bytes bytes;
} under_test;

static int sextet(char letter) {
    const char *letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const char *found = letter == '\0' ? NULL : strchr(letters, letter);
    return found == NULL ? -1 : (int)(found - letters);
}

static under_test read_text(const json_t *fields, const char *name) {
    under_test text = {0, NULL, {NULL, 0}};
    char encoded_name[64];
    snprintf(encoded_name, sizeof encoded_name, "%s_b64", name);
    pg_bytes encoded = field(fields, encoded_name);
    if (encoded.data != NULL) {
        text.data = malloc(encoded.length + 1);
        CHECK(text.data != NULL);
        size_t length = 0;
        uint32_t bits = 0;
        unsigned held = 0;
        for (size_t i = 0; i < encoded.length && encoded.data[i] != '='; i++) {
            int value = sextet((char)encoded.data[i]);
            CHECK(value >= 0);
            bits = (bits << 6) | (uint32_t)value;
            held += 6;
            if (held >= 8) {
                held -= 8;
                text.data[length++] = (uint8_t)(bits >> held);
            }
        }
        text.bytes = bytes_of(text.data, length);
    } else if (is_null(fields, name)) {
        text.absent = 1;
    } else {
        pg_bytes plain = field(fields, name);
        text.data = malloc(plain.length == 0 ? 1 : plain.length);
        CHECK(text.data != NULL);
        memcpy(text.data, plain.data, plain.length);
        text.bytes = bytes_of(text.data, plain.length);
    }
    return text;
}

// `{"ok":true, name: value}` after PG_OK, else `{"ok":false}`. Any other error is none that a case may have.
static json_t *ok_with(pg_code code, const char *name, json_t *value) {
    CHECK(code == PG_OK || code == PG_ERROR_INPUT);
    json_t *answer = json_pack("{s:b}", "ok", code == PG_OK);
    if (value != NULL) json_object_set_new(answer, name, value);
    return answer;
}

static json_t *made(pg_code code, const char *name, pg_text *text) {
    CHECK((code == PG_OK) == (text != NULL));
    return ok_with(code, name, text == NULL ? NULL : string_from(text));
}

static json_t *canonical(const json_t *fields) {
    under_test json = read_text(fields, "json");
    pg_text *text, *why = NULL;
    pg_code code = pg_canonicalize(json.bytes, &text, &why);
    CHECK((code == PG_OK) == (why == NULL));
    pg_text_free(why);
    free(json.data);
    return made(code, "canonical", text);
}

static json_t *hash(const json_t *fields) {
    under_test proposal = read_text(fields, "proposal");
    pg_text *text;
    pg_code code = pg_proposal_hash(proposal.bytes, &text, NULL);
    free(proposal.data);
    return made(code, "hash", text);
}

static json_t *proof(const json_t *fields) {
    under_test text = read_text(fields, "proof");
    pg_text *key;
    pg_code code = pg_proof_check_unbound(text.bytes, field(fields, "aud"), field(fields, "verb"), field(fields, "target"),
                                          int_field(fields, "now"), &key);
    CHECK((code == PG_OK) == (key != NULL));
    pg_text_free(key);
    free(text.data);
    json_t *answer = ok_with(code, NULL, NULL);
    if (code != PG_OK) json_object_set_new(answer, "code", json_string("unauthorized"));
    return answer;
}

static json_t *key(const json_t *fields) {
    pg_seed *seed;
    pg_text *public_key = NULL;
    pg_code code = pg_seed_read(field(fields, "seed"), &seed);
    if (code == PG_OK) CHECK(pg_seed_public(seed, &public_key) == PG_OK);
    pg_seed_free(seed);
    return made(code, "public", public_key);
}

static json_t *sign_proof(const json_t *fields) {
    if (!json_is_integer(json_object_get(fields, "ts"))) return ok_with(PG_ERROR_INPUT, NULL, NULL);
    pg_seed *seed;
    pg_text *text = NULL;
    pg_code code = pg_seed_read(field(fields, "seed"), &seed);
    if (code == PG_OK) {
        code = pg_sign_proof(seed, field(fields, "aud"), field(fields, "verb"), field(fields, "target"),
                             int_field(fields, "ts"), &text, NULL);
    }
    pg_seed_free(seed);
    return ok_with(code, "proof", text == NULL ? NULL : json_from(text));
}

static pg_verifier *new_verifier(const json_t *fields) {
    const json_t *trusted = json_object_get(fields, "trusted");
    pg_bytes *keys = calloc(json_array_size(trusted) + 1, sizeof *keys);
    CHECK(keys != NULL);
    size_t count = 0;
    // A text that is no key matches nobody.
    for (size_t i = 0; i < json_array_size(trusted); i++) {
        pg_bytes text = string_of(json_array_get(trusted, i));
        if (pg_key_check(text) == PG_OK) keys[count++] = text;
    }
    pg_settings settings = {.service = field(fields, "service"), .principals = keys, .principal_count = count};
    pg_verifier *verifier;
    CHECK(pg_verifier_new(&settings, &verifier) == PG_OK);
    free(keys);
    return verifier;
}

static pg_origin origin(pg_bytes holder, int has_holder, const json_t *fields) {
    pg_origin whose = {.kind = PG_ORIGIN_ANONYMOUS, .holder = holder, .principal = field(fields, "principal")};
    if (has_holder) whose.kind = is_null(fields, "principal") ? PG_ORIGIN_WITHOUT_GRANT : PG_ORIGIN_WITH_GRANT;
    return whose;
}

// Who reserves: a ledger, or the totals that a case gives, to which nothing is added.
typedef struct {
    const pg_ledger *ledger;
    const json_t *spent;
} reserver;

static pg_code reserve(const reserver *with, const pg_demand *demand) {
    if (with->ledger != NULL) return pg_ledger_reserve(with->ledger, demand);
    for (size_t i = 0; i < demand->line_count; i++) {
        pg_text *text;
        CHECK(pg_id_write(&demand->lines[i].block, &text) == PG_OK);
        char *block = take_text(text);
        uint64_t spent = (uint64_t)int_field(with->spent, block);
        free(block);
        if (spent + demand->amount > demand->lines[i].max) return PG_EXCEEDED;
    }
    return PG_RESERVED;
}

typedef struct {
    const pg_verifier *verifier;
    const pg_presented *presented;
    const pg_id *id;
    pg_pending **pending;
    pg_decision **decision;
} asked;

static pg_code ask(const asked *at, const json_t *request, pg_bytes proof_text) {
    const char *verb = json_string_value(json_object_get(request, "verb"));
    pg_bytes capability = field(request, "capability"), frame = field(request, "auto");
    CHECK(verb != NULL);
    if (strcmp(verb, "ASK") == 0) return pg_ask(at->verifier, at->presented, capability, at->decision);
    if (strcmp(verb, "INTENT") == 0 && is_null(request, "auto")) {
        return pg_intent(at->verifier, at->presented, capability, at->decision);
    }
    if (strcmp(verb, "UNDO") == 0) {
        pg_committed of = {.kind = PG_COMMITTED_WITH_PRINCIPAL, .principal = field(request, "principal"), .capability = capability};
        return pg_undo(at->verifier, at->presented, field(request, "receipt"), &of, at->decision);
    }
    if (strcmp(verb, "EXPAND") == 0) {
        pg_owner owner = {.kind = is_null(request, "owner") ? PG_OWNER_ANYONE : PG_OWNER_KEY, .key = field(request, "owner")};
        return pg_expand(at->verifier, at->presented, field(request, "handle"), &owner, at->decision);
    }
    under_test proposal = read_text(request, "proposal");
    pg_code code;
    if (strcmp(verb, "INTENT") == 0 && proposal.absent) {
        code = pg_auto_intent(at->verifier, at->presented, capability, frame, at->decision);
    } else if (strcmp(verb, "INTENT") == 0) {
        json_t *claimed = json_loadb((const char *)proof_text.data, proof_text.length, JSON_ALLOW_NUL, NULL);
        pg_origin whose = origin(field(claimed, "key"), 1, request);
        code = pg_auto_commit(at->verifier, at->presented, proposal.bytes, capability, frame, &whose, at->id, at->pending,
                              at->decision);
        json_decref(claimed);
    } else {
        const json_t *recorded = json_object_get(request, "origin");
        pg_bytes sent = field(request, "hash");
        if (json_is_true(json_object_get(request, "replay")) && pg_proposal_check(proposal.bytes, NULL) == PG_OK) {
            json_t *document = json_loadb((const char *)proposal.data, proposal.bytes.length, JSON_ALLOW_NUL, NULL);
            pg_text *first;
            CHECK(document != NULL && pg_proposal_hash(proposal.bytes, &first, NULL) == PG_OK);
            pg_committed of = {
                .kind = is_null(recorded, "principal") ? PG_COMMITTED_WITHOUT_PRINCIPAL : PG_COMMITTED_WITH_PRINCIPAL,
                .holder = field(recorded, "holder"), .principal = field(recorded, "principal"),
                .capability = field(document, "capability"), .hash = pg_text_bytes(first)};
            code = pg_replay(at->verifier, at->presented, sent, &of, at->decision);
            pg_text_free(first);
            json_decref(document);
        } else {
            pg_origin whose = origin(field(recorded, "holder"), !is_null(recorded, "holder"), recorded);
            code = pg_commit(at->verifier, at->presented, proposal.bytes, sent, &whose, at->id, at->pending, at->decision);
        }
    }
    free(proposal.data);
    return code;
}

static json_t *told(pg_code code, const pg_decision *decision) {
    CHECK(pg_decision_code(decision) == code);
    pg_bytes name = pg_code_name(code);
    pg_text *log, *text;
    json_t *answer = json_object();
    json_object_set_new(answer, "decision", json_stringn((const char *)name.data, name.length));
    // There is a log of every refusal, and of nothing else.
    CHECK(pg_decision_log(decision, &log) == (code == PG_ALLOWED ? PG_ABSENT : PG_OK));
    pg_text_free(log);
    pg_code asks = pg_decision_consent(decision, &text);
    CHECK(asks == (code == PG_CONSENT_REQUIRED ? PG_OK : PG_ABSENT));
    if (asks == PG_OK) json_object_set_new(answer, "consent", json_from(text));
    if (code == PG_ALLOWED) {
        size_t index;
        pg_id id;
        if (pg_decision_issuer(decision, &text) == PG_OK) json_object_set_new(answer, "iss", string_from(text));
        int has_holder = pg_decision_holder(decision, &text) == PG_OK;
        json_object_set_new(answer, "holder", has_holder ? string_from(text) : json_null());
        if (pg_decision_grant(decision, &index, &id) == PG_OK) {
            json_object_set_new(answer, "grant", json_integer((json_int_t)index));
        }
    }
    return answer;
}

// The cases have empty names too, which no service may have.
static pg_id reservation(pg_bytes name) {
    uint8_t *prefixed = malloc(name.length + 1);
    pg_id id;
    CHECK(prefixed != NULL);
    prefixed[0] = '#';
    if (name.length > 0) memcpy(prefixed + 1, name.data, name.length);
    CHECK(pg_reservation_of(bytes_of(prefixed, name.length + 1), &id) == PG_OK);
    free(prefixed);
    return id;
}

static json_t *authorize(const pg_verifier *verifier, const json_t *fields, pg_bytes name, const reserver *with) {
    const json_t *grants = json_object_get(fields, "grants");
    size_t count = json_array_size(grants);
    pg_presentable *tokens = calloc(count == 0 ? 1 : count, sizeof *tokens);
    CHECK(tokens != NULL);
    for (size_t i = 0; i < count; i++) tokens[i].token = string_of(json_array_get(grants, i));
    under_test shown = read_text(fields, "proof");
    pg_presented presented = {.grants = tokens, .grant_count = count,
                              .possession = shown.absent ? PG_POSSESSION_NONE : PG_POSSESSION_PROOF,
                              .possessed = shown.bytes, .now = int_field(fields, "now")};
    pg_id id = reservation(name);
    pg_pending *pending = NULL;
    pg_decision *decision = NULL;
    asked at = {verifier, &presented, &id, &pending, &decision};
    pg_code code = ask(&at, json_object_get(fields, "request"), shown.bytes);
    // A COMMIT has copies of its own.
    free(tokens);
    free(shown.data);
    CHECK((code == PG_PENDING) == (pending != NULL));
    while (code == PG_PENDING) {
        pg_demand demand;
        CHECK(decision == NULL && pg_pending_demand(pending, &demand) == PG_OK);
        code = pg_pending_answer(pending, reserve(with, &demand), &decision);
    }
    json_t *answer = told(code, decision);
    pg_decision_free(decision);
    pg_pending_free(pending);
    return answer;
}

static json_t *authorize_alone(const json_t *fields) {
    pg_verifier *verifier = new_verifier(fields);
    reserver with = {NULL, json_object_get(fields, "spent")};
    json_t *answer = authorize(verifier, fields, bytes_of(NULL, 0), &with);
    pg_verifier_free(verifier);
    return answer;
}

// The name of a claim of a text that is no key: nobody's, and remembered like one all the same.
static pg_code claim_for_nobody(const char *kind, pg_bytes holder, pg_bytes thing, int64_t until, pg_claim **claim) {
    char prefix[32];
    int length = snprintf(prefix, sizeof prefix, "%zu:", holder.length);
    size_t all = (size_t)length + holder.length + thing.length;
    char *name = malloc(all);
    CHECK(name != NULL);
    memcpy(name, prefix, (size_t)length);
    memcpy(name + length, holder.data, holder.length);
    memcpy(name + length + holder.length, thing.data, thing.length);
    pg_code code = pg_claim_for_other(text_of(kind), bytes_of(name, all), until, claim);
    free(name);
    return code;
}

static pg_claim *claim_of(const json_t *of, int64_t now) {
    pg_claim *claim;
    pg_code code;
    if (!is_null(of, "auto")) {
        pg_bytes holder = field(of, "auto"), frame = field(of, "frame");
        int64_t time = int_field(of, "ts"), later = now > time ? now : time;
        int64_t until = later > INT64_MAX - 900 ? INT64_MAX : later + 900;
        code = pg_key_check(holder) == PG_OK ? pg_claim_for_auto(holder, frame, now, time, &claim)
                                             : claim_for_nobody("auto", holder, frame, until, &claim);
    } else if (!is_null(of, "consent")) {
        pg_bytes holder = field(of, "consent"), thing = field(of, "hash");
        int64_t exp = int_field(of, "exp");
        code = pg_key_check(holder) == PG_OK ? pg_claim_for_consent(holder, thing, exp, &claim)
                                             : claim_for_nobody("consent", holder, thing, exp, &claim);
    } else {
        code = pg_claim_for_commit(field(of, "commit"), int_field(of, "until"), &claim);
    }
    CHECK(code == PG_OK);
    return claim;
}

typedef struct {
    pg_verifier *verifier;
    pg_ledger *ledger;
    pg_claims *claims;
    pg_ticket *tickets;
    int *has_ticket;
} world;

static json_t *step_of(world *in, const json_t *step, size_t index) {
    const char *name = json_string_value(json_object_get(step, "do"));
    CHECK(name != NULL);
    if (strcmp(name, "authorize") == 0) {
        reserver with = {in->ledger, NULL};
        return authorize(in->verifier, step, field(step, "id"), &with);
    }
    pg_id id;
    if (strcmp(name, "settle") == 0 || strcmp(name, "release") == 0) {
        id = reservation(field(step, "id"));
        pg_code code = name[0] == 's' ? pg_ledger_settle(in->ledger, &id) : pg_ledger_release(in->ledger, &id);
        CHECK(code == PG_CLOSED || code == PG_NOT_HELD);
        return json_pack("{s:b}", "ok", code == PG_CLOSED);
    }
    if (strcmp(name, "spent") == 0) {
        uint64_t total = 0;
        if (pg_id_read(field(step, "block"), &id) == PG_OK) CHECK(pg_ledger_total(in->ledger, &id, &total) == PG_OK);
        return json_pack("{s:I}", "spent", (json_int_t)total);
    }
    if (strcmp(name, "claim") == 0) {
        int64_t now = int_field(step, "now");
        pg_claim *claim = claim_of(json_object_get(step, "of"), now);
        pg_code code = pg_claims_claim(in->claims, claim, now, &in->tickets[index]);
        pg_claim_free(claim);
        in->has_ticket[index] = code == PG_FIRST;
        pg_bytes said = pg_code_name(code);
        json_t *answer = json_object();
        json_object_set_new(answer, "claim", json_stringn((const char *)said.data, said.length));
        return answer;
    }
    int64_t of = int_field(step, "step");
    int ended = 0;
    if (of >= 0 && (uint64_t)of < index && in->has_ticket[of]) {
        const pg_ticket *ticket = &in->tickets[of];
        pg_code code = name[0] == 'f' ? pg_claims_finish(in->claims, ticket) : pg_claims_abandon(in->claims, ticket);
        ended = code == PG_CLOSED;
    }
    return json_pack("{s:b}", "ok", ended);
}

static json_t *flow(const json_t *fields) {
    const json_t *steps = json_object_get(fields, "steps");
    size_t count = json_array_size(steps);
    world in = {new_verifier(fields), NULL, NULL, calloc(count + 1, sizeof(pg_ticket)), calloc(count + 1, sizeof(int))};
    pg_ledger_bounds bounds = {SIZE_MAX, SIZE_MAX, SIZE_MAX, SIZE_MAX};
    CHECK(in.tickets != NULL && in.has_ticket != NULL);
    CHECK(pg_ledger_new(&bounds, &in.ledger) == PG_OK && pg_claims_new(SIZE_MAX, &in.claims) == PG_OK);
    json_t *answers = json_array();
    for (size_t i = 0; i < count; i++) json_array_append_new(answers, step_of(&in, json_array_get(steps, i), i));
    pg_verifier_free(in.verifier);
    pg_ledger_free(in.ledger);
    pg_claims_free(in.claims);
    free(in.tickets);
    free(in.has_ticket);
    return json_pack("{s:o}", "steps", answers);
}

static const struct {
    const char *op;
    json_t *(*answer)(const json_t *fields);
} real_calls[] = {{"canonical", canonical}, {"hash", hash}, {"proof", proof}, {"key", key}, {"sign_proof", sign_proof},
                  {"authorize", authorize_alone}, {"flow", flow}};

static size_t passed, failed, real;

static void run(const char *line, size_t length, FILE *answers) {
    json_t *fields = json_loadb(line, length, JSON_ALLOW_NUL, NULL);
    CHECK(fields != NULL);
    const char *op = json_string_value(json_object_get(fields, "op"));
    const json_t *expect = json_object_get(fields, "expect");
    CHECK(op != NULL && expect != NULL);
    pg_text *text;
    CHECK(pg_case_answer(bytes_of(line, length), &text) == PG_OK);
    pg_bytes bytes = pg_text_bytes(text);
    CHECK(fwrite(bytes.data, 1, bytes.length, answers) == bytes.length && fputc('\n', answers) == '\n');
    json_t *answer = json_from(text);
    int right = json_equal(answer, expect);
    json_decref(answer);
    for (size_t i = 0; i < sizeof real_calls / sizeof *real_calls; i++) {
        if (strcmp(op, real_calls[i].op) != 0) continue;
        real++;
        json_t *said = real_calls[i].answer(fields);
        if (!json_equal(said, expect)) {
            char *shown = json_dumps(said, JSON_COMPACT);
            printf("%.*s\n  the calls say %s\n", (int)(length > 100 ? 100 : length), line, shown);
            free(shown);
            right = 0;
        }
        json_decref(said);
    }
    right ? passed++ : failed++;
    json_decref(fields);
}

int main(int count, char **arguments) {
    CHECK(count > 2);
    CHECK(pg_version() == PG_VERSION);
    FILE *answers = fopen(arguments[1], "wb");
    CHECK(answers != NULL);
    for (int i = 2; i < count; i++) {
        FILE *file = fopen(arguments[i], "rb");
        CHECK(file != NULL);
        char *line = NULL;
        size_t room = 0;
        ssize_t length;
        while ((length = getline(&line, &room, file)) >= 0) {
            while (length > 0 && strchr(" \t\r\n", line[length - 1]) != NULL) length--;
            if (length > 0 && line[0] != '#') run(line, (size_t)length, answers);
        }
        free(line);
        CHECK(fclose(file) == 0);
    }
    CHECK(fclose(answers) == 0);
    printf("c: %zu passed, %zu failed, %zu of them through the real calls\n", passed, failed, real);
    return failed > 0 || real == 0;
}
