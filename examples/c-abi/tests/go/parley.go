// A small binding, by cgo: copies of texts go in, copies of texts come out, and each handle is freed by whoever made it.
package main

/*
#cgo CFLAGS: -I${SRCDIR}/../../include -DPG_FEATURE_CASES
#include <stdlib.h>
#include "parley_grants.h"
*/
import "C"

import (
	"fmt"
	"unsafe"
)

// C memory for what a call's structures point to, as they must not point to Go's.
type arena struct{ blocks []unsafe.Pointer }

func (a *arena) free() {
	for _, block := range a.blocks {
		C.free(block)
	}
}

func (a *arena) bytes(data []byte) C.pg_bytes {
	if len(data) == 0 {
		return C.pg_bytes{}
	}
	block := C.CBytes(data)
	a.blocks = append(a.blocks, block)
	return C.pg_bytes{data: (*C.uint8_t)(block), length: C.size_t(len(data))}
}

func (a *arena) text(text string) C.pg_bytes { return a.bytes([]byte(text)) }

func (a *arena) room(size uintptr, count int) unsafe.Pointer {
	block := C.calloc(C.size_t(count+1), C.size_t(size))
	if block == nil {
		panic("no memory")
	}
	a.blocks = append(a.blocks, block)
	return block
}

func goBytes(bytes C.pg_bytes) []byte {
	if bytes.length == 0 {
		return nil
	}
	return C.GoBytes(unsafe.Pointer(bytes.data), C.int(bytes.length))
}

func take(text *C.pg_text) []byte {
	defer C.pg_text_free(text)
	return goBytes(C.pg_text_bytes(text))
}

func name(code C.pg_code) string { return string(goBytes(C.pg_code_name(C.uint32_t(code)))) }

func caseAnswer(line []byte) []byte {
	var a arena
	defer a.free()
	var answer *C.pg_text
	if code := C.pg_case_answer(a.bytes(line), &answer); code != C.PG_OK {
		panic(fmt.Sprintf("no case: %s", name(code)))
	}
	return take(answer)
}

type verifier struct{ handle *C.pg_verifier }

func isKey(text string) bool {
	var a arena
	defer a.free()
	return C.pg_key_check(a.text(text)) == C.PG_OK
}

func newVerifier(service string, principals []string) *verifier {
	var a arena
	defer a.free()
	room := a.room(unsafe.Sizeof(C.pg_bytes{}), len(principals))
	keys := unsafe.Slice((*C.pg_bytes)(room), len(principals)+1)
	for i, key := range principals {
		keys[i] = a.text(key)
	}
	settings := (*C.pg_settings)(a.room(unsafe.Sizeof(C.pg_settings{}), 1))
	*settings = C.pg_settings{service: a.text(service), principals: &keys[0], principal_count: C.size_t(len(principals))}
	made := &verifier{}
	if code := C.pg_verifier_new(settings, &made.handle); code != C.PG_OK {
		panic(name(code))
	}
	return made
}

func (v *verifier) free() { C.pg_verifier_free(v.handle) }

// What came with a request. A nil proof is none.
type presented struct {
	grants []string
	proof  []byte
	now    int64
}

// One call: it gets the verifier, what was presented and places for what waits and for the decision.
type call func(a *arena, v *C.pg_verifier, p *C.pg_presented, waits **C.pg_pending, d **C.pg_decision) C.pg_code

func (v *verifier) decide(p presented, ask call, reserve func(*C.pg_demand) C.pg_code) map[string]any {
	var a arena
	defer a.free()
	grants := unsafe.Slice((*C.pg_presentable)(a.room(unsafe.Sizeof(C.pg_presentable{}), len(p.grants))), len(p.grants)+1)
	for i, token := range p.grants {
		grants[i].token = a.text(token)
	}
	with := (*C.pg_presented)(a.room(unsafe.Sizeof(C.pg_presented{}), 1))
	with.grants, with.grant_count, with.now = &grants[0], C.size_t(len(p.grants)), C.int64_t(p.now)
	with.possession = C.PG_POSSESSION_NONE
	if p.proof != nil {
		with.possession, with.possessed = C.PG_POSSESSION_PROOF, a.bytes(p.proof)
	}
	var waits *C.pg_pending
	var decided *C.pg_decision
	code := ask(&a, v.handle, with, &waits, &decided)
	defer func() { C.pg_pending_free(waits); C.pg_decision_free(decided) }()
	for code == C.PG_PENDING {
		demand := (*C.pg_demand)(a.room(unsafe.Sizeof(C.pg_demand{}), 1))
		if said := C.pg_pending_demand(waits, demand); said != C.PG_OK {
			panic(name(said))
		}
		code = C.pg_pending_answer(waits, C.uint32_t(reserve(demand)), &decided)
	}
	return told(code, decided)
}

// A part of a decision that is a text; false when it has none.
func part(code C.pg_code, text **C.pg_text) (string, bool) {
	if code != C.PG_OK {
		return "", false
	}
	return string(take(*text)), true
}
