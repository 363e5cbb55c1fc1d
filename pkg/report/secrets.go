package report

import (
	"bytes"
	"encoding/json"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/admsim/admsim/internal/objects"
	"github.com/admsim/admsim/internal/redact"
	"github.com/admsim/admsim/internal/suite"
	"github.com/admsim/admsim/pkg/admission"
	"github.com/admsim/admsim/pkg/simulator"
	"github.com/admsim/admsim/pkg/trace"
)

// hide takes secrets out of a result: of objects, of what changed in them, of reviews, and
// where something that is said repeats one.
func (r *Result) hide(redactor *redact.Redactor, admissions []trace.Admission) error {
	pass, err := known(redactor, r.seen.types, admissions)
	if pass == nil || err != nil {
		return err
	}
	r.pass = pass
	if r.Object, err = hiddenObject(pass, r.Object); err != nil {
		return err
	}
	for i := range r.Admissions {
		kind := r.Admissions[i].Kind
		for j := range r.Admissions[i].Steps {
			step := &r.Admissions[i].Steps[j]
			hideChanges(pass, kind, step.Changes)
			for k := range step.Hooks {
				if err := hideHook(pass, kind, &step.Hooks[k]); err != nil {
					return err
				}
			}
		}
	}
	r.hideTexts(pass)
	return nil
}

// known is a pass that knows the secrets in the objects of admissions; nil where there can
// be none.
func known(redactor *redact.Redactor, types *objects.Types, admissions []trace.Admission) (pass *redact.Pass, err error) {
	if redactor == nil {
		return nil, nil
	}
	for _, a := range admissions {
		if !redactor.Has(a.Request.Kind.Group, a.Request.Kind.Kind) {
			continue
		}
		if pass == nil {
			pass = redactor.Begin()
		}
		versions := versionsOf(a)
		if a.Request.OldObject != nil {
			versions = append(versions, version{object: a.Request.OldObject})
		}
		for _, v := range versions {
			text, err := types.Encode(v.object)
			if err == nil {
				_, err = hiddenObject(pass, text)
			}
			if err != nil {
				return nil, err
			}
		}
	}
	return pass, nil
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
	return json.Marshal(pass.Object(object))
}

// hideChanges hides values in place.
func hideChanges(pass *redact.Pass, kind metav1.GroupVersionKind, changes []Change) {
	for i := range changes {
		c := &changes[i]
		for _, value := range []*json.RawMessage{&c.Old, &c.Value} {
			*value = pass.Value(kind.Group, kind.Kind, c.Path, *value)
		}
	}
}

func hideHook(pass *redact.Pass, kind metav1.GroupVersionKind, h *Hook) error {
	hideChanges(pass, kind, h.Changes)
	if len(h.Patch) > 0 {
		var operations []any
		if err := json.Unmarshal(h.Patch, &operations); err != nil {
			h.Patch = json.RawMessage(`"REDACTED"`) // may hold one anywhere
		} else if h.Patch, err = json.Marshal(pass.Patch(kind.Group, kind.Kind, operations)); err != nil {
			return err
		}
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
	for i := range h.Expressions {
		hideExpression(pass, &h.Expressions[i])
	}
	h.Because = pass.Text(h.Because)
	h.Status = hiddenStatus(pass, h.Status)
	h.Warnings, h.AuditAnnotations = hiddenTexts(pass, h.Warnings), hiddenAnnotations(pass, h.AuditAnnotations)
	return nil
}

func hideExpression(pass *redact.Pass, e *Expression) {
	e.Message, e.Error = pass.Text(e.Message), pass.Text(e.Error)
	var v any
	if json.Unmarshal(e.Value, &v) != nil {
		return
	}
	if text, err := json.Marshal(pass.Texts(v)); err == nil {
		e.Value = text
	}
}

// hide takes secrets of the object that a request is about out of an explanation.
func (e *Explanation) hide(redactor *redact.Redactor, types *objects.Types, about admission.Request) error {
	pass, err := known(redactor, types, []trace.Admission{{Request: about}})
	if pass == nil || err != nil {
		return err
	}
	for _, policies := range [][]PolicyExplanation{e.MutatingPolicies, e.ValidatingPolicies} {
		for i := range policies {
			policies[i].Because = pass.Text(policies[i].Because)
		}
	}
	for _, webhooks := range [][]WebhookExplanation{e.Mutating, e.Validating} {
		for i := range webhooks {
			webhooks[i].Because = pass.Text(webhooks[i].Because)
		}
	}
	if e.Denied != nil {
		e.Denied.Status = hiddenStatus(pass, e.Denied.Status)
	}
	return nil
}

// hiddenReview is a review or the reply to one. What is neither may hold a secret anywhere.
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

// hideTexts hides what the result says of secrets that are known.
func (r *Result) hideTexts(pass *redact.Pass) {
	r.Status = hiddenStatus(pass, r.Status)
	r.Text, r.Hint = pass.Text(r.Text), pass.Text(r.Hint)
	r.Warnings = hiddenTexts(pass, r.Warnings)
	if r.AuditAnnotations != nil {
		annotations := map[string]string{}
		for k, v := range r.AuditAnnotations {
			annotations[k] = pass.Text(v)
		}
		r.AuditAnnotations = annotations
	}
	for i := range r.Admissions {
		for j := range r.Admissions[i].Steps {
			s := &r.Admissions[i].Steps[j]
			s.Because, s.Hint = pass.Text(s.Because), pass.Text(s.Hint)
			s.Status = hiddenStatus(pass, s.Status)
			s.Warnings, s.AuditAnnotations = hiddenTexts(pass, s.Warnings), hiddenAnnotations(pass, s.AuditAnnotations)
		}
	}
}

func hiddenTexts(pass *redact.Pass, texts []string) []string {
	texts = slices.Clone(texts)
	for i := range texts {
		texts[i] = pass.Text(texts[i])
	}
	return texts
}

func hiddenAnnotations(pass *redact.Pass, all []Annotation) []Annotation {
	for i := range all {
		all[i].Value = pass.Text(all[i].Value)
	}
	return all
}

func hiddenStatus(pass *redact.Pass, s *metav1.Status) *metav1.Status {
	if s == nil {
		return nil
	}
	s = s.DeepCopy()
	s.Message = pass.Text(s.Message)
	if s.Details != nil {
		for i := range s.Details.Causes {
			s.Details.Causes[i].Message = pass.Text(s.Details.Causes[i].Message)
		}
	}
	return s
}

// suitesWithoutSecrets are results whose failures do not show the secrets of the objects that they
// are about.
func suitesWithoutSecrets(r *suite.Results, redactor *redact.Redactor) (*suite.Results, error) {
	shown := *r
	shown.Suites = slices.Clone(r.Suites)
	for i := range shown.Suites {
		s := &shown.Suites[i]
		s.Cases = slices.Clone(s.Cases)
		for j := range s.Cases {
			if len(s.Cases[j].Failures) == 0 {
				continue
			}
			if err := hideFailures(&s.Cases[j], redactor); err != nil {
				return nil, err
			}
		}
	}
	return &shown, nil
}

func hideFailures(c *suite.CaseResult, redactor *redact.Redactor) error {
	c.Failures = slices.Clone(c.Failures)
	for _, a := range c.Answers {
		if a.Result == nil {
			continue
		}
		pass, err := knownOf(redactor, a.Result)
		if err != nil {
			return err
		}
		for i := range c.Failures {
			if f := &c.Failures[i]; pass != nil {
				f.Want, f.Got, f.Diff = pass.Text(f.Want), pass.Text(f.Got), pass.Text(f.Diff)
			}
		}
	}
	return nil
}

func knownOf(redactor *redact.Redactor, result *simulator.Result) (*redact.Pass, error) {
	return known(redactor, result.Next.Types(), result.Admissions)
}
