package scenario

import (
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/admsim/admsim/pkg/dispatch"
	"github.com/admsim/admsim/pkg/expression"
)

// An Answer is one answer of a mocked webhook.
type Answer struct {
	dispatch.Answer
	Source Source

	value value // for errors found later
}

// Position is where a key of the answer was written.
func (a Answer) Position(key string) Source { return a.value.at(key).source() }

// Uncompiled is the error that the condition of the answer is no expression.
func (a Answer) Uncompiled(err *expression.CompileError) *Error {
	return a.value.at("when").uncompiled(err)
}

// readAnswers reads the answers of a mock; the checks that need nothing but their text are
// made here.
func readAnswers(v value) (all []Answer) {
	if _, isOne := v.is.(map[string]any); isOne {
		v.errorf("answers are a list, also where there is one: begin it with a dash", "a mapping instead of a list")
		return nil
	}
	answers := v.list()
	if _, isList := v.is.([]any); len(answers) == 0 && isList {
		v.errorf("list its answers under mock; the answer {} allows", "no answers")
	}
	for _, a := range answers {
		all = append(all, Answer{Answer: readAnswer(a), Source: a.source(), value: a})
	}
	return all
}

func readAnswer(v value) dispatch.Answer {
	var a dispatch.Answer
	if !v.mapping("when", "allowed", "deny", "patch", "patchType", "merge", "warnings", "auditAnnotations",
		"latency", "fault", "http", "raw", "response", "review") {
		if !v.given() {
			v.errorf("the answer {} allows", "nothing instead of an answer")
		}
		return a
	}
	a.When = v.at("when").text()
	if allowed := v.at("allowed"); allowed.given() {
		a.Allow = new(allowed.flag())
		if *a.Allow && v.at("deny").given() {
			v.at("deny").errorf("drop one of them", "allowed: true and deny exclude each other")
		}
	}
	a.Deny = readStatus(v.at("deny"))
	a.Patch = readPatch(v.at("patch"))
	a.PatchType = v.at("patchType").text()
	if merge := v.at("merge"); merge.given() {
		anyMapping(merge)
		a.Merge = merge.raw()
	}
	a.Warnings = v.at("warnings").texts()
	a.AuditAnnotations = v.at("auditAnnotations").textMap()
	a.Delay = metav1.Duration{Duration: v.at("latency").duration()}
	if raw := v.at("raw"); raw.given() {
		a.Raw = new(raw.text())
	}
	if response := v.at("response"); anyMapping(response) {
		a.Response = response.raw()
	}
	if review := v.at("review"); anyMapping(review) {
		a.Review = review.raw()
	}
	readHTTP(v.at("http"), &a)
	readFault(v, &a)
	return a
}

// readStatus reads the Status that a webhook denies with. Any of its fields may be given,
// but what kind it is.
func readStatus(v value) *metav1.Status {
	if text, ok := v.is.(string); ok {
		v.errorf(fmt.Sprintf("write {message: %q}", text), "a string instead of a mapping")
		return nil
	}
	if !v.mapping("code", "reason", "message", "status", "details", "metadata") {
		return nil
	}
	return &metav1.Status{
		Code:     int32(v.at("code").number(-1<<31, 1<<31-1)),
		Reason:   metav1.StatusReason(v.at("reason").text()),
		Message:  v.at("message").text(),
		Status:   v.at("status").text(),
		Details:  decodeField[metav1.StatusDetails](v.at("details")),
		ListMeta: *orZero(decodeField[metav1.ListMeta](v.at("metadata"))),
	}
}

// readPatch reads operations as a list, or as the text that stands for them, which need
// be no JSON.
func readPatch(v value) []byte {
	switch v.is.(type) {
	case nil, string:
		return v.raw()
	case []any:
		for _, operation := range v.list() {
			checkOperation(operation)
		}
		return v.raw()
	}
	v.errorf("a mapping with the fields to change goes under merge", "%s instead of a list of operations", typeName(v.is))
	return nil
}

// checkOperation checks one operation of a patch. What only a text can be is not wrong as
// such: a webhook may well send it.
func checkOperation(v value) {
	if _, isMapping := v.is.(map[string]any); !isMapping {
		v.wrong("an operation, such as {op: add, path: /metadata/labels, value: {}}")
		return
	}
	if op := v.at("op"); !op.given() {
		v.errorf("such as op: add; to send a patch that is broken, write it as a text", "no op")
	} else {
		op.oneOf("add", "remove", "replace", "move", "copy", "test")
	}
	if path := v.at("path"); !path.given() {
		v.errorf("such as path: /metadata/labels", "no path")
	} else {
		path.text()
	}
}

// readHTTP reads a status, or a whole HTTP answer.
func readHTTP(v value, a *dispatch.Answer) {
	if _, isNumber := v.is.(int64); isNumber {
		a.HTTP = int(v.number(100, 999))
		return
	}
	if !v.mapping("status", "headers", "body") {
		return
	}
	a.HTTP = int(v.at("status").number(100, 999))
	a.Headers = v.at("headers").textMap()
	if body := v.at("body"); body.given() {
		if a.Raw != nil {
			body.errorf("drop one of them", "http.body and raw exclude each other")
		}
		a.Raw = new(body.text())
	}
}

// Faults are called by what a user sees of them.
var faults = map[string]dispatch.Fault{
	"refused":   dispatch.Refuse,
	"badTLS":    dispatch.BadCA,
	"closed":    dispatch.Close,
	"timeout":   dispatch.Hang,
	"malformed": dispatch.Malformed,
	"wrongUID":  dispatch.WrongUID,
	"panic":     dispatch.PanicFault,
}

var faultNames = []string{"refused", "badTLS", "closed", "timeout", "malformed", "wrongUID", "panic", "http500"}

// readFault also knows http500, which is an answer like others but a common one.
func readFault(answer value, a *dispatch.Answer) {
	v := answer.at("fault")
	name := v.oneOf(faultNames...)
	if name != "http500" {
		a.Fault = faults[name]
		for _, key := range []string{"allowed", "deny", "patch", "merge", "warnings", "auditAnnotations", "http", "raw", "response", "review"} {
			if answer.at(key).given() && name != "" && name != "wrongUID" {
				answer.at(key).errorf("drop one of them", "with fault: %s there is no answer", name)
			}
		}
		return
	}
	if a.HTTP != 0 || a.Raw != nil || a.Headers != nil {
		v.errorf("drop one of them", "http500 excludes http and raw")
		return
	}
	a.HTTP = 500
	a.Raw = new("Internal Server Error\n")
	a.Headers = map[string]string{"Content-Type": "text/plain; charset=utf-8"}
}
