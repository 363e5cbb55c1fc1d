// Package explanation converts what a simulator can say about a request without calling webhooks to the form that is
// shown, without secrets: which policies would be evaluated and which webhooks called, why, and what happens to the
// request if they hang.
//
// Start with [New].
package explanation

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/admsim/admsim/internal/answer"
	"github.com/admsim/admsim/internal/answer/secrets"
	"github.com/admsim/admsim/internal/answer/steps"
	"github.com/admsim/admsim/internal/bug"
	"github.com/admsim/admsim/internal/conceal"
	"github.com/admsim/admsim/internal/redact"
	"github.com/admsim/admsim/internal/report/document"
	"github.com/admsim/admsim/internal/survey"
	"github.com/admsim/admsim/internal/world"
	"github.com/admsim/admsim/pkg/report"
	"github.com/admsim/admsim/pkg/simulator"
	"github.com/admsim/admsim/pkg/trace"
)

// New converts explanations of a request to the form that is shown, one explanation per object, without secrets unless
// redactor is nil.
func New(asked world.Asked, explained []simulator.Explanation, redactor *redact.Redactor) (_ []*document.Explanation, err error) {
	defer bug.Catch(&err)
	authorization, err := answer.Authorization(asked)
	if err != nil {
		return nil, err
	}
	all := make([]*document.Explanation, len(explained))
	for i, one := range explained {
		all[i] = newExplanation(answer.Request(asked), one)
		if len(explained) > 1 {
			all[i].Request.Name = one.Request.Name
		}
		if old, err := meta.Accessor(one.Request.OldObject); err == nil && all[i].Request.Name == "" { // as in deletecollection
			all[i].Request.Name = old.GetName()
		}
		all[i].Authorization = authorization
		changes(all[i], one, asked.Simulator)
		lacks := cmp.Or(aboutNamespace(all[i], asked), aboutObject(all[i], asked))
		notes := append([]string{lacks, aboutConversion(all[i], one, asked.Simulator)}, one.Dropped...)
		all[i].Note = strings.Join(slices.DeleteFunc(notes, func(note string) bool { return note == "" }), "; ")
		addSlips(all[i], asked)
		all[i] = withoutSecrets(all[i], redactor, asked, one)
	}
	numbered(all)
	return all, nil
}

// numbered counts the explanations of the same object, such as those of the deletion of a pod (W-027). They look the
// same if the same webhooks are called.
func numbered(all []*document.Explanation) {
	times, number := map[string]int{}, map[string]int{}
	for _, e := range all {
		times[e.Request.Name]++
	}
	for _, e := range all {
		name := e.Request.Name
		number[name]++
		if times[name] > 1 {
			e.Admission, e.Admissions = number[name], times[name]
		}
		if e.Request.Verb == "deletecollection" && number[name] == 3 && e.Note == "" {
			e.Note = "the server leaves this admission out if its cache already shows that the pod is marked for deletion"
		}
	}
}

func newExplanation(q report.Request, explained simulator.Explanation) *document.Explanation {
	e := &document.Explanation{
		TypeMeta:           document.TypeMeta(report.ExplanationKind),
		Request:            q,
		MutatingPolicies:   steps.Policies(explained.MutatingPolicies),
		Mutating:           steps.Webhooks(explained.Mutating),
		ValidatingPolicies: steps.Policies(explained.ValidatingPolicies),
		Validating:         steps.Webhooks(explained.Validating),
	}
	e.Request.DryRun = q.DryRun || explained.Request.DryRun
	limit := explained.Request.Timeout
	e.Timeouts.Request.Duration = limit
	for _, w := range e.Mutating {
		e.Timeouts.Mutating.Duration += timeout(w)
	}
	for _, w := range e.Validating {
		e.Timeouts.Validating.Duration = max(e.Timeouts.Validating.Duration, timeout(w))
	}
	if explained.Refusal != nil {
		e.Denied = denial(explained.Refusal, explained.Refused)
		e.Early = beforeWebhooks(explained.Request.Operation != "", explained.Refused)
	}
	if !e.Early {
		e.Hanging = hanging(e.Mutating, e.Validating, limit)
	}
	return e
}

// changes adds what would have to change for hooks that are not called.
func changes(e *document.Explanation, explained simulator.Explanation, sim *simulator.Simulator) {
	var near *survey.Nearby
	change := func(plugin, configuration, name string) []string {
		if near == nil {
			near = survey.NewNearby(sim, explained.Request)
		}
		return near.Change(plugin, configuration, name, explained.Objects[plugin])
	}
	for plugin, list := range map[string][]document.WebhookExplanation{"MutatingAdmissionWebhook": e.Mutating, "ValidatingAdmissionWebhook": e.Validating} {
		for i := range list {
			if w := &list[i]; w.Called == document.No {
				w.CalledIf = change(plugin, w.Configuration, w.Name)
			}
		}
	}
	for plugin, list := range map[string][]document.PolicyExplanation{"MutatingAdmissionPolicy": e.MutatingPolicies, "ValidatingAdmissionPolicy": e.ValidatingPolicies} {
		for i := range list {
			if p := &list[i]; p.Asked == document.No {
				p.AskedIf = change(plugin, p.Policy, p.Binding)
			}
		}
	}
}

// beforeWebhooks reports whether a request is refused before all webhooks. Without a step that refuses it, it either does
// not reach admission or, such as a CONNECT to a pod that does not exist, is refused after it.
func beforeWebhooks(admitted bool, refused *trace.Step) bool {
	if refused == nil {
		return !admitted
	}
	return refused.Phase == trace.Mutating && refused.Round == 0 && refused.Plugin != document.MutatingWebhooks
}

// addSlips adds where in the request's file the fields are that the server does not know, as in an answer.
func addSlips(e *document.Explanation, asked world.Asked) {
	types := asked.Simulator.View().Types()
	if d := e.Denied; d != nil && d.By.Plugin == "" {
		d.Hint = answer.WithSlips(d.Hint, asked.From.Slips(d.Status, []string{d.Hint}, types))
	}
	if e.Note != "" {
		e.Note = answer.WithSlips(e.Note, asked.From.Slips(&metav1.Status{Message: e.Note}, nil, types))
	}
}

// aboutNamespace returns a note that the namespace of the request does not exist. No plugin denies a request for that
// reason if it creates nothing, but the server would answer earlier, as there is nothing in the namespace.
func aboutNamespace(e *document.Explanation, asked world.Asked) string {
	name := e.Request.Namespace
	if e.Denied != nil || name == "" {
		return ""
	}
	if asked.HasNamespace(name) {
		return ""
	}
	return fmt.Sprintf("the cluster has no namespace %q, and so nothing in it; add the Namespace to the manifests", name)
}

// aboutObject returns a note that the object of the request does not exist.
func aboutObject(e *document.Explanation, asked world.Asked) string {
	if e.Denied != nil {
		return ""
	}
	return asked.Lacks()
}

// hanging returns what happens to the request if all webhooks that may be called hang.
func hanging(mutating, validating []document.WebhookExplanation, limit time.Duration) *document.Hanging {
	spent, last := time.Duration(0), time.Duration(0)
	over := func() bool { return limit > 0 && spent >= limit }
	for _, w := range mutating {
		spent += timeout(w)
		switch {
		case over():
			return &document.Hanging{After: metav1.Duration{Duration: limit}, Refused: true}
		case fails(w):
			return &document.Hanging{After: metav1.Duration{Duration: spent}, Refused: true, By: decider(w, document.MutatingWebhooks)}
		}
	}
	var by *report.Decider
	for _, w := range validating {
		last = max(last, timeout(w))
		if by == nil && fails(w) {
			by = decider(w, document.ValidatingWebhooks)
		}
	}
	spent += last
	switch {
	case spent == 0:
		return nil
	case over():
		return &document.Hanging{After: metav1.Duration{Duration: limit}, Refused: true}
	}
	return &document.Hanging{After: metav1.Duration{Duration: spent}, Refused: by != nil, By: by}
}

// fails reports whether the webhook may be called and refuses the request if it hangs.
func fails(w document.WebhookExplanation) bool {
	return w.Called != document.No && w.FailurePolicy == string(admissionregistrationv1.Fail)
}

func decider(w document.WebhookExplanation, plugin string) *report.Decider {
	return &report.Decider{Plugin: plugin, Configuration: w.Configuration, Name: w.Name, Source: w.Source}
}

// denial returns how the request is refused without any webhook: by a step or, if by is nil, before admission.
func denial(status *metav1.Status, by *trace.Step) *document.Denial {
	decider, hint := steps.DeniedBy(by)
	return &document.Denial{Status: status, By: *decider, Hint: hint}
}

// timeout returns how long the webhook may take; 0 if it cannot be called.
func timeout(w document.WebhookExplanation) time.Duration {
	if w.Called == document.No {
		return 0
	}
	return time.Duration(w.TimeoutSeconds) * time.Second
}

// withoutSecrets removes the secrets of the request from its explanation.
func withoutSecrets(e *document.Explanation, redactor *redact.Redactor, asked world.Asked, explained simulator.Explanation) *document.Explanation {
	if redactor == nil {
		return e
	}
	if e.Denied != nil {
		e.Denied.Status = secrets.Status(e.Denied.Status)
	}
	a := trace.Admission{Request: explained.Request}
	if explained.Refused != nil {
		a.Steps = []trace.Step{*explained.Refused}
	}
	behind := conceal.Behind{Asked: []conceal.Request{secrets.Asked(asked.API, asked.Simulator)}, Admissions: []trace.Admission{a}}
	for _, w := range slices.Concat(e.Mutating, e.Validating) {
		behind.Public = append(behind.Public, w.Configuration, w.Name, w.Source)
	}
	for _, p := range slices.Concat(e.MutatingPolicies, e.ValidatingPolicies) {
		behind.Public = append(behind.Public, p.Policy, p.Binding, p.Source, p.BindingSource)
	}
	pass := conceal.In(redactor, behind)
	if pass == nil {
		return e
	}
	return new(redact.Without(pass, *e))
}
