package scenario

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/admsim/admsim/internal/manifest"

	admissionv1 "k8s.io/api/admission/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/admsim/admsim/pkg/dispatch"
	"github.com/admsim/admsim/pkg/expression"
)

// An Answer is one answer of a mocked webhook.
type Answer struct {
	dispatch.Answer
	Source manifest.Source

	// Reported means that keys of the answer exclude each other, which is reported.
	Reported bool

	value manifest.Value // for errors found later
}

// Wrong returns an error about the answer, with its path. text may begin with a key of the answer and a colon.
func (a Answer) Wrong(text string, err error) *manifest.Error {
	at, path := a.Source, a.value.Path+": "
	if key, _, isKey := strings.Cut(text, ":"); isKey && a.value.At(key).Given() {
		at, path = a.value.At(key).Source(), a.value.Path+"."
	}
	return &manifest.Error{Source: at, Message: path + text, Err: err}
}

// Uncompiled returns the error that the condition of the answer does not compile.
func (a Answer) Uncompiled(err *expression.CompileError) *manifest.Error {
	return a.value.At("when").Uncompiled(err)
}

// readAnswers reads the answers of a mock, and makes the checks that need nothing but their text.
func readAnswers(v manifest.Value) (all []Answer) {
	if _, isOne := v.Is.(map[string]any); isOne {
		v.Errorf("answers are a list, also where there is one: begin it with a dash", "a mapping instead of a list")
		return nil
	}
	answers := v.List()
	if _, isList := v.Is.([]any); len(answers) == 0 && isList {
		v.Errorf("list its answers under mock; the answer {} allows", "no answers")
	}
	for _, a := range answers {
		all = append(all, readAnswer(a))
	}
	return all
}

// admissionKeys are the keys of an answer that each stand for a part of an AdmissionResponse.
var admissionKeys = []string{"allowed", "deny", "patch", "patchType", "merge", "warnings", "auditAnnotations"}

func readAnswer(v manifest.Value) Answer {
	a := Answer{Source: v.Source(), value: v}
	keys := slices.Concat([]string{"when"}, admissionKeys, []string{"latency", "fault", "http", "raw", "response", "review", "convert"})
	if !v.MappingExcept(ofDenials(v), keys...) {
		if !v.Given() {
			v.Errorf("the answer {} allows", "nothing instead of an answer")
		}
		return a
	}
	a.When = v.At("when").Text()
	if allowed := v.At("allowed"); allowed.Given() {
		a.Allow = new(allowed.Flag())
		if *a.Allow && v.At("deny").Given() {
			v.At("deny").Errorf("drop one of them", "allowed: true and deny exclude each other")
			a.Reported = true
		}
	}
	a.Deny = readStatus(v.At("deny"))
	a.Patch = readPatch(v.At("patch"))
	a.PatchType = v.At("patchType").Text()
	if merge := v.At("merge"); merge.Given() {
		manifest.AnyMapping(merge)
		a.Merge = merge.Raw()
	}
	a.Warnings = v.At("warnings").Texts()
	a.AuditAnnotations = v.At("auditAnnotations").TextMap()
	a.Delay = metav1.Duration{Duration: v.At("latency").Duration()}
	if raw := v.At("raw"); raw.Given() {
		a.Raw = new(raw.Text())
	}
	if how := v.At("convert"); how.Given() {
		a.Convert = how.OneOf("apiVersionOnly")
	}
	if response := v.At("response"); manifest.AnyMapping(response) {
		a.Response = response.Raw()
		checkResponse(response)
	}
	if review := v.At("review"); manifest.AnyMapping(review) {
		a.Review = review.Raw()
	}
	readHTTP(v.At("http"), &a.Answer)
	a.Reported = reportExclusive(v) || a.Reported
	fault := v.At("fault").OneOf(faultNames...)
	if reportExcluded(v, fault) {
		a.Reported = true
	} else {
		setFault(fault, &a.Answer)
	}
	return a
}

// reportExclusive reports keys that exclude each other.
func reportExclusive(v manifest.Value) (reported bool) {
	exclusive := func(first, second, hint string) bool {
		both := v.At(first).Given() && v.At(second).Given()
		if both {
			v.At(second).Errorf(hint, "%s and %s exclude each other", first, second)
			reported = true
		}
		return both
	}
	if !exclusive("patch", "merge", "drop one of them") {
		exclusive("merge", "patchType", "drop patchType: merge is always sent as a JSONPatch")
	}
	first := ""
	for _, form := range [][]string{admissionKeys, {"response"}, {"review"}, {"raw"}, {"convert"}} {
		i := slices.IndexFunc(form, func(key string) bool { return v.At(key).Given() })
		switch {
		case i < 0:
		case first == "":
			first = form[i]
		default:
			exclusive(first, form[i], "drop one of them")
		}
	}
	return reported
}

// checkResponse reports misspelt keys of a response, which may also be one to a SubjectAccessReview or an ImageReview. It
// may have unknown keys and values of wrong types on purpose.
func checkResponse(v manifest.Value) {
	var errs manifest.Errors
	whole := v
	whole.Is, whole.Errs = onlyKeys(v.Is), &errs
	manifest.DecodeField[struct {
		admissionv1.AdmissionResponse `json:",inline"`

		Patch any `json:"patch"` // may be a list

		Reason          string `json:"reason"`
		Denied          bool   `json:"denied"`
		EvaluationError string `json:"evaluationError"`
	}](whole)
	for _, e := range errs {
		if field := (*manifest.UnknownField)(nil); errors.As(e, &field) && e.Hint != "" {
			*v.Errs = append(*v.Errs, e)
		}
	}
}

// onlyKeys returns a mapping with all keys that it has at any depth, and without the values, which any type can hold.
func onlyKeys(v any) any {
	mapping, ok := v.(map[string]any)
	if !ok {
		return nil
	}
	keys := map[string]any{}
	for key, value := range mapping {
		keys[key] = onlyKeys(value)
	}
	return keys
}

// ofDenials returns what belongs under deny, as messages do.
func ofDenials(answer manifest.Value) (all []manifest.Misplaced) {
	for _, key := range []string{"code", "message", "reason"} {
		all = append(all, manifest.Misplaced{
			Key: key, Text: "an answer has no " + key, Hint: fmt.Sprintf("it belongs to the denial: deny: {%s: %v}", key, answer.At(key).Is),
		})
	}
	return all
}

// readStatus reads the Status that a webhook denies with. It may have any field except apiVersion and kind.
func readStatus(v manifest.Value) *metav1.Status {
	if text, ok := v.Is.(string); ok {
		v.Errorf(fmt.Sprintf("write {message: %q}", text), "a string instead of a mapping")
		return nil
	}
	if _, ok := v.Is.(bool); ok {
		v.Errorf("give it the message of the denial, deny: {message: …}, or write allowed: false instead", "a boolean instead of a mapping")
		return nil
	}
	if !v.Mapping("code", "reason", "message", "status", "details", "metadata") {
		return nil
	}
	return &metav1.Status{
		Code:     int32(v.At("code").Number(-1<<31, 1<<31-1)),
		Reason:   metav1.StatusReason(v.At("reason").Text()),
		Message:  v.At("message").Text(),
		Status:   v.At("status").Text(),
		Details:  manifest.DecodeField[metav1.StatusDetails](v.At("details")),
		ListMeta: *manifest.OrZero(manifest.DecodeField[metav1.ListMeta](v.At("metadata"))),
	}
}

// readPatch reads a patch: a list of operations, or a text that is sent as it is and need not be JSON.
func readPatch(v manifest.Value) []byte {
	switch v.Is.(type) {
	case nil, string:
		return v.Raw()
	case []any:
		for _, operation := range v.List() {
			checkOperation(operation)
		}
		return v.Raw()
	}
	v.Errorf("a mapping with the fields to change goes under merge", "%s instead of a list of operations", manifest.TypeName(v.Is))
	return nil
}

// checkOperation checks one operation of a patch. An operation that a mapping cannot express is no error in itself,
// since a webhook may well send it: it can be written as a text.
func checkOperation(v manifest.Value) {
	if _, isMapping := v.Is.(map[string]any); !isMapping {
		v.Wrong("an operation, such as {op: add, path: /metadata/labels, value: {}}")
		return
	}
	if op := v.At("op"); !op.Given() {
		v.Errorf("such as op: add; to send a patch that is broken, write it as a text", "no op")
	} else {
		op.OneOf("add", "remove", "replace", "move", "copy", "test")
	}
	if path := v.At("path"); !path.Given() {
		v.Errorf("such as path: /metadata/labels", "no path")
	} else if text := path.Text(); text != "" && text[0] != '/' {
		path.Errorf("paths begin with a slash: path: /"+text, "%q is no JSON pointer", text)
	}
}

// readHTTP reads a status code, or a whole HTTP answer.
func readHTTP(v manifest.Value, a *dispatch.Answer) {
	if _, isNumber := v.Is.(int64); isNumber {
		a.HTTP = int(v.Number(100, 999))
		return
	}
	if !v.Mapping("status", "headers", "body") {
		return
	}
	a.HTTP = int(v.At("status").Number(100, 999))
	a.Headers = v.At("headers").TextMap()
	if body := v.At("body"); body.Given() {
		if a.Raw != nil {
			body.Errorf("drop one of them", "http.body and raw exclude each other")
		}
		a.Raw = new(body.Text())
	}
}

// faults are the faults by the names that users know.
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

// reportExcluded reports keys that a fault leaves no room for.
func reportExcluded(answer manifest.Value, fault string) (reported bool) {
	switch fault {
	case "", "wrongUID":
		return false
	case "http500":
		if answer.At("http").Given() || answer.At("raw").Given() {
			answer.At("fault").Errorf("drop one of them", "http500 excludes http and raw")
			return true
		}
		return false
	}
	for _, key := range slices.Concat(admissionKeys, []string{"http", "raw", "response", "review", "convert"}) {
		if answer.At(key).Given() {
			answer.At(key).Errorf("drop one of them", "with fault: %s there is no answer", fault)
			reported = true
		}
	}
	return reported
}

// setFault gives an answer the fault of that name. http500 is an ordinary answer, but a common one.
func setFault(name string, a *dispatch.Answer) {
	if name != "http500" {
		a.Fault = faults[name]
		return
	}
	a.HTTP = 500
	a.Raw = new("Internal Server Error\n")
	a.Headers = map[string]string{"Content-Type": "text/plain; charset=utf-8"}
}
