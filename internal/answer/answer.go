// Package answer converts the answer to a request, and how it came about, to the form that is shown, without secrets.
//
// Start with [New]. The package does not decide anything: it reads the answer of a simulator. Package steps converts
// what happened in an admission, and package secrets hides secrets.
package answer

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/admsim/admsim/internal/answer/secrets"
	"github.com/admsim/admsim/internal/answer/steps"
	"github.com/admsim/admsim/internal/bug"
	"github.com/admsim/admsim/internal/conceal"
	"github.com/admsim/admsim/internal/redact"
	"github.com/admsim/admsim/internal/report/document"
	"github.com/admsim/admsim/internal/scenario"
	"github.com/admsim/admsim/internal/world"
	"github.com/admsim/admsim/pkg/report"
	"github.com/admsim/admsim/pkg/rest"
	"github.com/admsim/admsim/pkg/simulator"
)

// New converts an answer to the form that is shown, without secrets unless redactor is nil.
func New(asked world.Asked, answer *simulator.Result, d document.Detail, redactor *redact.Redactor) (_ *document.Answer, err error) {
	defer bug.Catch(&err)
	types := answer.Next.View().Types()
	b := steps.NewBuilder(types, d)
	r := &report.Result{
		TypeMeta:         document.TypeMeta(report.ResultKind),
		Request:          Request(asked),
		Allowed:          answer.Allowed(),
		Code:             answer.Code,
		Warnings:         answer.Warnings,
		AuditAnnotations: answer.AuditAnnotations,
		Admissions:       []report.Admission{},
		Text:             answer.Text,
	}
	if decision := answer.Authorization; decision != nil {
		r.Authorization = authorization(*decision, true)
	} else if !asked.Simulator.Authorizes() {
		if r.Authorization, err = Authorization(asked); err != nil {
			return nil, err
		}
	}
	full := &document.Answer{Result: r}
	for _, a := range answer.Admissions {
		full.Runs = append(full.Runs, document.Run{Versions: steps.Versions(a), Deadline: max(a.Request.Timeout-a.Request.Elapsed, 0)})
		shown, err := b.Admission(a)
		if err != nil {
			return nil, err
		}
		r.Admissions = append(r.Admissions, shown)
		r.Request.DryRun = r.Request.DryRun || a.Request.DryRun // a deletion has dryRun in its body
		r.Elapsed.Duration = a.Request.Elapsed + a.Elapsed
	}
	if status, ok := answer.Object.(*metav1.Status); ok {
		r.Status = status
	} else if answer.Object != nil {
		var err error
		if r.Object, err = types.Encode(answer.Object); err != nil {
			return nil, fmt.Errorf("the object of the answer: %w", err)
		}
	}
	r.Undetermined = answer.Undetermined
	if r.Alternatives, err = alternatives(answer, b); err != nil {
		return nil, err
	}
	if !r.Allowed {
		r.DeniedBy, r.Hint = steps.DeniedBy(answer.DeniedBy)
	}
	if a := r.Authorization; a != nil && a.Enforced && !a.Allowed && a.By == "" && r.Status != nil {
		r.Hint = "bind " + r.Request.User.Username + " to a role that allows it; without --authorization everybody may send every request"
	}
	if r.Hint == "" && r.Code >= http.StatusBadRequest {
		r.Hint = hintForWritten(asked, answer)
	}
	if r.Hint == "" && r.Status != nil && !r.Allowed { // the answer may be text: the path is not served
		r.Hint = cmp.Or(hintForMissing(r, asked.From.Source.File), hintForExisting(r, asked), hintForVersion(r))
	}
	if d := r.DeniedBy; r.Hint == "" && d != nil && d.Name != "" && r.Status != nil && strings.HasSuffix(r.Status.Message, " denied the request without explanation") {
		r.Hint = "the answer of the webhook has no status.message; a mock gives one with deny: {message: …}"
	}
	r.Hint = cmp.Or(r.Hint, answer.PatchFault)
	r.Hint = WithSlips(r.Hint, asked.From.PatchSlips())
	addSlips(r, func(refusal *metav1.Status, rest ...string) []*scenario.Error {
		return asked.From.Slips(refusal, rest, types)
	})
	behind := secrets.Behind(answer)
	behind.Asked = []conceal.Request{secrets.Asked(asked.API, asked.Simulator)}
	pass, err := secrets.Hide(r, redactor, behind, answer)
	if err != nil {
		return nil, fmt.Errorf("taking secrets out: %w", err)
	}
	full.Decode = func(o runtime.Object) (any, error) {
		value, err := b.Value(o)
		if object, ok := value.(map[string]any); ok && pass != nil {
			return pass.Shown(object), err
		}
		return value, err
	}
	return full, nil
}

func alternatives(answer *simulator.Result, b *steps.Builder) (all []report.Alternative, err error) {
	var object runtime.Object // with which those of the alternatives are compared
	if answer.Status() == nil {
		object = answer.Object
	}
	for _, other := range answer.Alternatives {
		shown := report.Alternative{
			Code:             other.Code,
			Admissions:       len(other.Admissions),
			Warnings:         other.Warnings,
			AuditAnnotations: other.AuditAnnotations,
		}
		if shown.Status = other.Status(); shown.Status != nil {
			shown.DeniedBy, _ = steps.DeniedBy(other.DeniedBy)
		} else if object == nil {
			object = other.Object
		} else if shown.Changes, err = b.Changes(object, other.Object); err != nil {
			return nil, err
		}
		all = append(all, shown)
	}
	return all, nil
}

// Authorization returns what the authorizers say about the request. If the simulator does not enforce it, only a
// refusal is of interest, and only if the world says who may do what.
func Authorization(asked world.Asked) (*report.Authorization, error) {
	if asked.Review != nil {
		return nil, nil // it was authorized before
	}
	sim := asked.Simulator
	if !sim.Authorizes() && !sim.HasBindings() {
		return nil, nil
	}
	decision, err := sim.Authorization(context.Background(), asked.API) // it waits for nothing
	if err != nil || decision.Allowed && !sim.Authorizes() {
		return nil, err
	}
	return authorization(decision, sim.Authorizes()), nil
}

func authorization(decision rest.Authorization, enforced bool) *report.Authorization {
	a := &report.Authorization{Allowed: decision.Allowed, Enforced: enforced, By: decision.By, Reason: decision.Reason, Message: strings.TrimSpace(decision.Failure)}
	if decision.Refusal != nil {
		a.Message = decision.Refusal.Message
	}
	for _, h := range decision.Hooks {
		if text := h.Name + ": " + h.Because; h.Called {
			a.Asked = append(a.Asked, text)
		} else {
			a.NotAsked = append(a.NotAsked, text)
		}
	}
	return a
}

// hintForWritten returns a hint for an error that is the answer to a request that was carried out, or to one for an
// object that the server can store, but not show (ER-11).
func hintForWritten(asked world.Asked, answer *simulator.Result) string {
	name := asked.API.Name
	if all := answer.Admissions; name == "" && len(all) == 1 && asked.API.Verb == rest.Create {
		if m, err := meta.Accessor(all[0].Object); err == nil {
			name = m.GetName()
		}
	}
	before, _ := asked.Find(asked.Simulator, asked.API.Namespace, name)
	after, exists := asked.Find(answer.Next, asked.API.Namespace, name)
	var hints []string
	if before.Object != after.Object && exists {
		hints = append(hints, "the object is stored all the same")
	} else if before.Object != after.Object {
		hints = append(hints, "the object is deleted all the same")
	}
	if o, ok := after.Object.(*unstructured.Unstructured); ok && o.IsList() && answer.Code == http.StatusInternalServerError {
		hints = append(hints, "the server takes an object whose field items is a list for a list, and cannot show it: give the field another name")
	}
	return strings.Join(hints, "; ")
}

// hintForMissing returns a hint for requests that the server refuses because the cluster is incomplete. In a suite, the
// file with the object may exist but not be part of the world, because the case names it.
func hintForMissing(r *report.Result, file string) string {
	if r.Code != http.StatusNotFound || r.DeniedBy.Plugin != "" || r.Status.Details == nil || r.Status.Details.Name == "" {
		return ""
	}
	if r.Request.Resource.Resource == "serviceaccounts" && r.Request.Subresource == "token" {
		return "add the ServiceAccount to the cluster: tokens are only issued for one that exists"
	}
	if scenario.IsSuiteFile(file) {
		return "give the object as it is before the request under oldObject, or name its file under load: a folder is loaded without the files that cases name"
	}
	return "add the object to the cluster, as it was before the request, or give it with --old, or under oldObject in a document of kind Request"
}

// hintForExisting returns where an object that should be created is already defined.
func hintForExisting(r *report.Result, asked world.Asked) string {
	if r.Status.Reason != metav1.StatusReasonAlreadyExists || r.DeniedBy.Plugin != "" {
		return ""
	}
	if at := asked.PlaceOf(r.Request.Namespace, r.Request.Name); at != "" {
		return "the cluster has it from " + at
	}
	return ""
}

// hintForVersion returns a hint for an update that does not say which version of the object it starts from.
func hintForVersion(r *report.Result) string {
	if r.Status.Details == nil || r.DeniedBy.Plugin != "" {
		return ""
	}
	for _, c := range r.Status.Details.Causes {
		if c.Field == "metadata.resourceVersion" && strings.HasSuffix(c.Message, "must be specified for an update") {
			return "update the object as it was answered last, with its resourceVersion, or patch it"
		}
	}
	return ""
}

// addSlips adds hints that say where in the request's file the fields are that the server does not know, or whose values
// it cannot read. Releases that validate no fields ignore them, which is said where the object is written.
func addSlips(r *report.Result, slips func(refusal *metav1.Status, rest ...string) []*scenario.Error) {
	refusal, rest := (*metav1.Status)(nil), r.Warnings
	if r.Status != nil && !r.Allowed && r.DeniedBy.Plugin == "" {
		refusal, rest = r.Status, append([]string{r.Hint}, rest...)
	}
	r.Hint = WithSlips(r.Hint, slips(refusal, rest...))
	for i := range r.Admissions {
		for j := range r.Admissions[i].Steps {
			if s := &r.Admissions[i].Steps[j]; len(s.Hooks) == 0 && s.Status == nil {
				s.Hint = WithSlips(s.Hint, slips(nil, s.Because))
			}
		}
	}
}

// WithSlips adds slips to a hint, each in a line.
func WithSlips(hint string, slips []*scenario.Error) string {
	lines := slices.DeleteFunc([]string{hint}, func(text string) bool { return text == "" })
	for _, slip := range slips {
		line := slip.Source.String() + ": " + slip.Message
		if slip.Hint != "" {
			line += ": " + slip.Hint
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}
