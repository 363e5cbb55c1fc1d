// Package secrets removes secrets from what is shown of answers: from objects and their changes, reviews, results of
// CEL expressions, and messages.
//
// Start with [Hide]. Packages conceal and redact decide which values are secrets.
package secrets

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/admsim/admsim/internal/answer/steps"
	"github.com/admsim/admsim/internal/conceal"
	"github.com/admsim/admsim/internal/redact"
	"github.com/admsim/admsim/pkg/report"
	"github.com/admsim/admsim/pkg/simulator"
)

// Hide removes secrets from a result: from objects and their changes, reviews, results of CEL expressions, and
// messages. It returns the pass that hides further values, or nil if there are no secrets or redactor is nil.
func Hide(r *report.Result, redactor *redact.Redactor, behind conceal.Behind, answer *simulator.Result) (*redact.Pass, error) {
	if redactor != nil {
		hideCredentials(r)
	}
	pass := conceal.In(redactor, behind)
	if pass == nil {
		return nil, nil
	}
	var err error
	if r.Object, err = hiddenObject(pass, r.Object); err != nil {
		return nil, err
	}
	for i, a := range answer.Admissions {
		kind := r.Admissions[i].Kind
		for j := range r.Admissions[i].Steps {
			step := &r.Admissions[i].Steps[j]
			hideChanges(pass, kind, step.Changes)
			for k := range step.Hooks {
				h := &a.Steps[j].Hooks[k]
				of := conceal.Hook{State: answer.Next.State(), Kind: a.Request.Kind.GroupKind(), Plugin: step.Plugin, Hook: h}
				step.Hooks[k].Expressions = steps.Expressions(of.Expressions(redactor, pass))
				if err := hideHook(pass, kind, &step.Hooks[k]); err != nil {
					return nil, err
				}
			}
		}
	}
	for _, a := range r.Alternatives {
		if len(r.Admissions) > 0 {
			hideChanges(pass, r.Admissions[0].Kind, a.Changes)
		}
	}
	*r = redact.Without(pass, *r)
	return pass, nil
}

// hideCredentials removes the passwords of URLs from messages in the result. They are not among the known secrets.
func hideCredentials(r *report.Result) {
	for _, text := range []*string{&r.Text, &r.Hint} {
		*text = redact.Credentials(*text)
	}
	r.Status, r.Warnings = Status(r.Status), textsWithout(r.Warnings)
	for i := range r.Alternatives {
		a := &r.Alternatives[i]
		a.Status, a.Warnings = Status(a.Status), textsWithout(a.Warnings)
		a.AuditAnnotations = annotationsWithout(a.AuditAnnotations)
	}
	r.AuditAnnotations = annotationsWithout(r.AuditAnnotations)
	for i := range r.Admissions {
		for j := range r.Admissions[i].Steps {
			s := &r.Admissions[i].Steps[j]
			s.Because, s.Hint = redact.Credentials(s.Because), redact.Credentials(s.Hint)
			s.Status, s.Warnings = Status(s.Status), textsWithout(s.Warnings)
			for k := range s.Hooks {
				hideHookCredentials(&s.Hooks[k])
			}
		}
	}
}

func hideHookCredentials(h *report.Hook) {
	h.Because = redact.Credentials(h.Because)
	h.Status, h.Warnings = Status(h.Status), textsWithout(h.Warnings)
	for i := range h.Calls {
		c := &h.Calls[i]
		c.URL, c.Error, c.Answered = redact.Credentials(c.URL), redact.Credentials(c.Error), redact.Credentials(c.Answered)
	}
}

func textsWithout(texts []string) []string {
	for i, text := range texts {
		if hidden := redact.Credentials(text); hidden != text {
			texts = slices.Clone(texts)
			texts[i] = hidden
		}
	}
	return texts
}

func annotationsWithout(annotations map[string]string) map[string]string {
	for key, text := range annotations {
		if hidden := redact.Credentials(text); hidden != text {
			annotations = maps.Clone(annotations)
			annotations[key] = hidden
		}
	}
	return annotations
}

// Status returns a status without the passwords of URLs.
func Status(s *metav1.Status) *metav1.Status {
	if s == nil {
		return nil
	}
	hidden := s.DeepCopy()
	hidden.Message = redact.Credentials(s.Message)
	if hidden.Details != nil {
		for i := range hidden.Details.Causes {
			hidden.Details.Causes[i].Message = redact.Credentials(hidden.Details.Causes[i].Message)
		}
	}
	return hidden
}

func hiddenObject(pass *redact.Pass, text json.RawMessage) (json.RawMessage, error) {
	if len(text) == 0 {
		return text, nil
	}
	var object map[string]any
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	if err := d.Decode(&object); err != nil {
		return nil, err
	}
	return json.Marshal(pass.Shown(object))
}

// hideChanges hides values in place.
func hideChanges(pass *redact.Pass, kind metav1.GroupVersionKind, changes []report.Change) {
	for i := range changes {
		c := &changes[i]
		for _, value := range []*json.RawMessage{&c.Old, &c.Value} {
			*value = pass.Value(kind.Group, kind.Kind, c.Path, *value)
		}
	}
}

func hideHook(pass *redact.Pass, kind metav1.GroupVersionKind, h *report.Hook) error {
	hideChanges(pass, kind, h.Changes)
	if len(h.Patch) > 0 {
		var operations []any
		if err := json.Unmarshal(h.Patch, &operations); err != nil {
			h.Patch = json.RawMessage(`"REDACTED"`) // may contain a secret anywhere
		} else if h.Patch, err = json.Marshal(pass.Patch(kind.Group, kind.Kind, operations)); err != nil {
			return err
		}
	}
	for i := range h.PatchNotes {
		h.PatchNotes[i] = pass.Text(h.PatchNotes[i]) // a key may be derived from a secret
	}
	for i := range h.Calls {
		c := &h.Calls[i]
		c.Error = pass.Text(c.Error)
		if len(c.Review) > 0 {
			c.Review = hiddenReview(pass, kind, c.Review)
		}
		if c.Answered != "" {
			c.Answered = string(hiddenReview(pass, kind, []byte(c.Answered)))
		}
		if c.Reply != "" {
			c.Reply = string(hiddenReview(pass, kind, []byte(c.Reply)))
		}
	}
	return nil
}

// hiddenReview returns a review, or the reply to one, without secrets. Anything else may contain a secret anywhere.
func hiddenReview(pass *redact.Pass, kind metav1.GroupVersionKind, text []byte) []byte {
	var review map[string]any
	if json.Unmarshal(text, &review) != nil {
		return []byte(`"REDACTED"`)
	}
	pass.Review(review, kind.Group, kind.Kind)
	hidden, err := json.Marshal(review)
	if err != nil {
		return []byte(`"REDACTED"`)
	}
	return hidden
}
