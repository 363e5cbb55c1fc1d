package secrets_test

import (
	"encoding/base64"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/admsim/admsim/internal/answer/secrets"
	"github.com/admsim/admsim/internal/redact"
	"github.com/admsim/admsim/pkg/admission"
	"github.com/admsim/admsim/pkg/report"
	"github.com/admsim/admsim/pkg/rest"
	"github.com/admsim/admsim/pkg/simulator"
	"github.com/admsim/admsim/pkg/trace"
)

// The word is a secret of the request. The other secret occurs only where a row puts it.
const word, other = "hunter2-horse", "unheard-of-battery"

var coded, otherCoded = base64.StdEncoding.EncodeToString([]byte(word)), base64.StdEncoding.EncodeToString([]byte(other))

// answered returns an answer to a request to create a Secret that contains the word, with one hook.
func answered(t *testing.T, status *metav1.Status) *simulator.Result {
	t.Helper()
	sim, err := simulator.New(simulator.Options{})
	if err != nil {
		t.Fatal(err)
	}
	object := &corev1.Secret{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "Secret"},
		ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "token"},
		Data:       map[string][]byte{"k": []byte(word)},
	}
	r := &simulator.Result{Response: rest.Response{Code: 201, Object: object}, Next: sim}
	if status != nil {
		r.Code, r.Object = int(status.Code), status
	}
	r.Admissions = []trace.Admission{{
		Request: admission.Request{Kind: corev1.SchemeGroupVersion.WithKind("Secret"), Object: object},
		Steps: []trace.Step{{Hooks: []trace.Hook{{
			Expressions: []trace.Expression{{Field: "validations[0].expression", Text: "object.data.k", Value: `"` + coded + `"`}},
		}}}},
	}}
	return r
}

// A place puts something into a result.
type place func(*report.Result)

func step(r *report.Result) *report.Step { return &r.Admissions[0].Steps[0] }
func hook(r *report.Result) *report.Hook { return &step(r).Hooks[0] }

func resultWith(put place) *report.Result {
	r := &report.Result{Admissions: []report.Admission{{
		Kind: metav1.GroupVersionKind{Version: "v1", Kind: "Secret"}, Steps: []report.Step{{Hooks: []report.Hook{{Name: "hooks.example"}}}},
	}}}
	put(r)
	return r
}

// A secret is hidden wherever in a result it may occur, and nothing else is.
func TestHide(t *testing.T) {
	all := []string{word, coded, other, otherCoded}
	for where, put := range map[string]place{
		"the object": func(r *report.Result) {
			r.Object = json.RawMessage(`{"apiVersion":"v1","kind":"Secret","data":{"k":"` + otherCoded + `"}}`)
		},
		"the text of the answer": func(r *report.Result) { r.Text = "not " + word },
		"the message of a denial": func(r *report.Result) {
			r.Status = &metav1.Status{Message: "not " + word}
		},
		"the cause of a denial": func(r *report.Result) {
			r.Status = &metav1.Status{Details: &metav1.StatusDetails{Causes: []metav1.StatusCause{{Message: word}}}}
		},
		"what may be said instead": func(r *report.Result) {
			r.Alternatives = []report.Alternative{{Status: &metav1.Status{Message: word}}}
		},
		"a warning": func(r *report.Result) { r.Warnings = []string{word} },
		"an annotation": func(r *report.Result) {
			r.AuditAnnotations = map[string]string{"a": word}
		},
		"a hint": func(r *report.Result) { r.Hint = word },
		"a change by a step": func(r *report.Result) {
			step(r).Changes = []report.Change{{Op: "add", Path: "/data/k", Value: json.RawMessage(`"` + otherCoded + `"`)}}
		},
		"a change by a hook": func(r *report.Result) {
			hook(r).Changes = []report.Change{{Op: "remove", Path: "/data/k", Old: json.RawMessage(`"` + otherCoded + `"`)}}
		},
		"a patch": func(r *report.Result) {
			hook(r).Patch = json.RawMessage(`[{"op":"add","path":"/data/k","value":"` + otherCoded + `"}]`)
		},
		"a patch that is none":     func(r *report.Result) { hook(r).Patch = json.RawMessage(`"` + other + `"`) },
		"why a hook did something": func(r *report.Result) { hook(r).Because = "not " + word },
		"the error of a call":      func(r *report.Result) { hook(r).Calls = []report.Call{{Error: word}} },
		"a review": func(r *report.Result) {
			hook(r).Calls = []report.Call{{Review: json.RawMessage(`{"request":{"object":{"kind":"Secret","data":{"k":"` + otherCoded + `"}}}}`)}}
		},
		"a reply that is no review": func(r *report.Result) {
			hook(r).Calls = []report.Call{{Reply: "<" + other + ">", Answered: other}}
		},
	} {
		redactor, err := redact.New()
		if err != nil {
			t.Fatal(err)
		}
		answer := answered(t, nil)
		hidden, shown := resultWith(put), resultWith(put)
		if _, err := secrets.Hide(hidden, redactor, secrets.Behind(answer), answer); err != nil {
			t.Errorf("%s: %v", where, err)
			continue
		}
		text, err := json.Marshal(hidden)
		if err != nil {
			t.Fatal(err)
		}
		for _, secret := range all {
			if strings.Contains(string(text), secret) {
				t.Errorf("%s: %s is in %s", where, secret, text)
			}
		}
		if !strings.Contains(string(text), "hooks.example") {
			t.Errorf("%s: text that is not secret is missing in %s", where, text)
		}
		if _, err := secrets.Hide(shown, nil, secrets.Behind(answer), answer); err != nil {
			t.Fatal(err)
		}
		if text, _ := json.Marshal(shown); !slices.ContainsFunc(all, func(secret string) bool { return strings.Contains(string(text), secret) }) {
			t.Errorf("%s: without a redactor, it is hidden: %s", where, text)
		}
	}
}

// The password of a URL is hidden, even if the cluster has no secrets.
func TestHideCredentials(t *testing.T) {
	const link = "https://user:pass-word@hooks.example/"
	answer := answered(t, nil)
	answer.Admissions[0] = trace.Admission{Steps: []trace.Step{{Hooks: []trace.Hook{{}}}}}
	answer.Object = nil
	redactor, err := redact.New()
	if err != nil {
		t.Fatal(err)
	}
	for where, put := range map[string]place{
		"a link in a text":   func(r *report.Result) { r.Text = link },
		"a link in a denial": func(r *report.Result) { r.Status = &metav1.Status{Message: link} },
		"a link in what may be": func(r *report.Result) {
			r.Alternatives = []report.Alternative{{Status: &metav1.Status{Message: link}}}
		},
		"a link in a warning": func(r *report.Result) { r.Warnings = []string{link} },
		"a link in an annotation": func(r *report.Result) {
			r.AuditAnnotations = map[string]string{"a": link}
		},
		"a link in a step":        func(r *report.Result) { step(r).Because = link },
		"a link in a hook":        func(r *report.Result) { hook(r).Warnings = []string{link} },
		"the link that is called": func(r *report.Result) { hook(r).Calls = []report.Call{{URL: link}} },
	} {
		r := resultWith(put)
		pass, err := secrets.Hide(r, redactor, secrets.Behind(answer), answer)
		if err != nil || pass != nil {
			t.Fatalf("%s: pass %v, error %v, want none", where, pass, err)
		}
		if text, _ := json.Marshal(r); strings.Contains(string(text), "pass-word") {
			t.Errorf("%s: the password is in %s", where, text)
		}
	}
}

// What an expression read from a secret is hidden, too.
func TestHideExpressions(t *testing.T) {
	redactor, err := redact.New()
	if err != nil {
		t.Fatal(err)
	}
	answer := answered(t, nil)
	r := &report.Result{Admissions: []report.Admission{{Steps: []report.Step{{Hooks: []report.Hook{{}}}}}}}
	if _, err := secrets.Hide(r, redactor, secrets.Behind(answer), answer); err != nil {
		t.Fatal(err)
	}
	want := `"` + base64.StdEncoding.EncodeToString([]byte("REDACTED-1")) + `"`
	if got := r.Admissions[0].Steps[0].Hooks[0].Expressions; len(got) != 1 || string(got[0].Value) != want {
		t.Errorf("the expressions are %+v, want one with the value %s", got, want)
	}
}

func TestDenial(t *testing.T) {
	for _, tt := range []struct {
		status *metav1.Status
		hides  bool
		want   string
	}{
		{nil, true, ""},
		{&metav1.Status{Status: metav1.StatusFailure, Code: 403, Message: "not " + word}, true, "not REDACTED-1"},
		{&metav1.Status{Status: metav1.StatusFailure, Code: 403, Message: "not " + word}, false, "not " + word},
		{&metav1.Status{Status: metav1.StatusFailure, Code: 403, Message: "not so"}, true, "not so"},
	} {
		var redactor *redact.Redactor
		if tt.hides {
			var err error
			if redactor, err = redact.New(); err != nil {
				t.Fatal(err)
			}
		}
		if got := secrets.Denial(redactor, answered(t, tt.status)); got != tt.want {
			t.Errorf("Denial(%v) = %q, want %q", tt.status, got, tt.want)
		}
	}
}

// A secret that only the first of two answers has is replaced by the same word in messages of the second.
func TestTogether(t *testing.T) {
	redactor, err := redact.New()
	if err != nil {
		t.Fatal(err)
	}
	first, second := answered(t, nil), answered(t, nil)
	other := first.Admissions[0].Request.Object.(*corev1.Secret).DeepCopy()
	other.Data["k"] = []byte("another-word")
	second.Admissions[0].Request.Object, second.Object = other, other
	second.Admissions[0].Steps = nil
	text := word + " and another-word"
	if got := secrets.Of(secrets.Together(redactor, first, second), second).Text(text); got != "REDACTED-1 and REDACTED-2" {
		t.Errorf("%q is %q, want each secret as its own word", text, got)
	}
	if got := secrets.Of(redactor, second).Text("another-word"); got != "REDACTED-1" {
		t.Errorf("alone, the second secret is %q, want REDACTED-1", got)
	}
	if secrets.Together(nil, first, second) != nil {
		t.Error("there is a redactor where there was none")
	}
}
