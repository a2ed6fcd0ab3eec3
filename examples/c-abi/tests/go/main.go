// Every conformance case through the library: `vectors ANSWERS FILE...` writes the answers of pg_case_answer to ANSWERS, a line each, and
// compares what the real calls say with what the cases expect, for all cases of `authorize`.
package main

/*
#cgo CFLAGS: -I${SRCDIR}/../../include -DPG_FEATURE_CASES
#include "parley_grants.h"
*/
import "C"

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"unsafe"
)

type object = map[string]any

// Numbers stay as they are written.
func read(text []byte) (value any, err error) {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	err = decoder.Decode(&value)
	return
}

func must(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func str(fields object, name string) string { text, _ := fields[name].(string); return text }

func integer(fields object, name string) int64 {
	number, err := fields[name].(json.Number).Int64()
	must(err)
	return number
}

// A text under test, or bytes in its place; nil when it is missing or null.
func underTest(fields object, name string) []byte {
	if encoded, ok := fields[name+"_b64"].(string); ok {
		data, err := base64.StdEncoding.DecodeString(encoded)
		must(err)
		return append([]byte{}, data...)
	}
	if text, ok := fields[name].(string); ok {
		return []byte(text)
	}
	return nil
}

func origin(a *arena, holder, principal any) *C.pg_origin {
	whose := (*C.pg_origin)(a.room(unsafe.Sizeof(C.pg_origin{}), 1))
	whose.kind = C.PG_ORIGIN_ANONYMOUS
	if text, ok := holder.(string); ok {
		whose.kind, whose.holder = C.PG_ORIGIN_WITHOUT_GRANT, a.text(text)
		if text, ok := principal.(string); ok {
			whose.kind, whose.principal = C.PG_ORIGIN_WITH_GRANT, a.text(text)
		}
	}
	return whose
}

func committed(a *arena, holder, principal any, capability, hash string) *C.pg_committed {
	of := (*C.pg_committed)(a.room(unsafe.Sizeof(C.pg_committed{}), 1))
	of.kind, of.capability, of.hash = C.PG_COMMITTED_WITHOUT_PRINCIPAL, a.text(capability), a.text(hash)
	if text, ok := holder.(string); ok {
		of.holder = a.text(text)
	}
	if text, ok := principal.(string); ok {
		of.kind, of.principal = C.PG_COMMITTED_WITH_PRINCIPAL, a.text(text)
	}
	return of
}

// The call for a request.
func callFor(request object, proof []byte) call {
	return func(a *arena, v *C.pg_verifier, p *C.pg_presented, waits **C.pg_pending, d **C.pg_decision) C.pg_code {
		capability, id := a.text(str(request, "capability")), (*C.pg_id)(a.room(unsafe.Sizeof(C.pg_id{}), 1))
		if code := C.pg_reservation_of(a.text("case"), id); code != C.PG_OK {
			panic(name(code))
		}
		proposal, frame := underTest(request, "proposal"), a.text(str(request, "auto"))
		_, isAuto := request["auto"]
		switch verb := str(request, "verb"); {
		case verb == "ASK":
			return C.pg_ask(v, p, capability, d)
		case verb == "INTENT" && !isAuto:
			return C.pg_intent(v, p, capability, d)
		case verb == "INTENT" && proposal == nil:
			return C.pg_auto_intent(v, p, capability, frame, d)
		case verb == "INTENT":
			claimed, _ := read(proof)
			fields, _ := claimed.(object)
			return C.pg_auto_commit(v, p, a.bytes(proposal), capability, frame, origin(a, str(fields, "key"), request["principal"]), id, waits, d)
		case verb == "UNDO":
			of := committed(a, nil, request["principal"], str(request, "capability"), "")
			return C.pg_undo(v, p, a.text(str(request, "receipt")), of, d)
		case verb == "EXPAND":
			owner := (*C.pg_owner)(a.room(unsafe.Sizeof(C.pg_owner{}), 1))
			owner.kind = C.PG_OWNER_ANYONE
			if key, ok := request["owner"].(string); ok {
				owner.kind, owner.key = C.PG_OWNER_KEY, a.text(key)
			}
			return C.pg_expand(v, p, a.text(str(request, "handle")), owner, d)
		}
		recorded := request["origin"].(object)
		if request["replay"] == true && C.pg_proposal_check(a.bytes(proposal), nil) == C.PG_OK {
			var text *C.pg_text
			first, _ := part(C.pg_proposal_hash(a.bytes(proposal), &text, nil), &text)
			document, err := read(proposal)
			must(err)
			of := committed(a, recorded["holder"], recorded["principal"], str(document.(object), "capability"), first)
			return C.pg_replay(v, p, a.text(str(request, "hash")), of, d)
		}
		whose := origin(a, recorded["holder"], recorded["principal"])
		return C.pg_commit(v, p, a.bytes(proposal), a.text(str(request, "hash")), whose, id, waits, d)
	}
}

func told(code C.pg_code, d *C.pg_decision) object {
	answer := object{"decision": name(code)}
	var text *C.pg_text
	if json, ok := part(C.pg_decision_consent(d, &text), &text); ok {
		consent, err := read([]byte(json))
		must(err)
		answer["consent"] = consent
	}
	if code == C.PG_ALLOWED {
		if issuer, ok := part(C.pg_decision_issuer(d, &text), &text); ok {
			answer["iss"] = issuer
		}
		answer["holder"] = nil
		if holder, ok := part(C.pg_decision_holder(d, &text), &text); ok {
			answer["holder"] = holder
		}
		var index C.size_t
		var id C.pg_id
		if C.pg_decision_grant(d, &index, &id) == C.PG_OK {
			answer["grant"] = json.Number(fmt.Sprint(index))
		}
	}
	return answer
}

func authorize(fields object) object {
	var trusted, grants []string
	for _, key := range fields["trusted"].([]any) {
		if isKey(key.(string)) {
			trusted = append(trusted, key.(string))
		}
	}
	for _, token := range fields["grants"].([]any) {
		grants = append(grants, token.(string))
	}
	spent, _ := fields["spent"].(object)
	reserve := func(demand *C.pg_demand) C.pg_code {
		for _, line := range unsafe.Slice(demand.lines, int(demand.line_count)) {
			var text *C.pg_text
			block := line.block
			id, _ := part(C.pg_id_write(&block, &text), &text)
			total := uint64(0)
			if _, ok := spent[id]; ok {
				total = uint64(integer(spent, id))
			}
			if total+uint64(demand.amount) > uint64(line.max) {
				return C.PG_EXCEEDED
			}
		}
		return C.PG_RESERVED
	}
	v := newVerifier(str(fields, "service"), trusted)
	defer v.free()
	proof := underTest(fields, "proof")
	request := callFor(fields["request"].(object), proof)
	return v.decide(presented{grants, proof, integer(fields, "now")}, request, reserve)
}

func main() {
	passed, failed, real := 0, 0, 0
	out, err := os.Create(os.Args[1])
	must(err)
	answers := bufio.NewWriter(out)
	for _, path := range os.Args[2:] {
		lines, err := os.ReadFile(path)
		must(err)
		for _, line := range bytes.Split(lines, []byte("\n")) {
			line = bytes.TrimSpace(line)
			if len(line) == 0 || line[0] == '#' {
				continue
			}
			value, err := read(line)
			must(err)
			fields, text := value.(object), caseAnswer(line)
			_, err = answers.Write(append(text, '\n'))
			must(err)
			answer, err := read(text)
			must(err)
			right := reflect.DeepEqual(answer, fields["expect"])
			if fields["op"] == "authorize" {
				real++
				if said := any(authorize(fields)); !reflect.DeepEqual(said, fields["expect"]) {
					right = false
					fmt.Printf("%s: expected %v, the calls say %v\n", fields["name"], fields["expect"], said)
				}
			}
			if right {
				passed++
			} else {
				failed++
			}
		}
	}
	must(answers.Flush())
	must(out.Close())
	fmt.Printf("go: %d passed, %d failed, %d of them through the real calls\n", passed, failed, real)
	if failed > 0 || real == 0 {
		os.Exit(1)
	}
}
