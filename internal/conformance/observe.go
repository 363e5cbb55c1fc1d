package conformance

import (
	"encoding/json"
	"net/url"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apiserver/pkg/authentication/user"

	"github.com/admsim/admsim/internal/objects"
	"github.com/admsim/admsim/pkg/dispatch"
	"github.com/admsim/admsim/pkg/rest"
	"github.com/admsim/admsim/pkg/trace"
)

// observed returns an answer in the form of a recording's `expect`.
func observed(types *objects.Types, r rest.Response, from *Recording) (map[string]any, error) {
	body, err := bodyOf(types, r)
	if err != nil {
		return nil, err
	}
	o := map[string]any{"code": float64(r.Code), "body": body}
	if len(r.Warnings) > 0 {
		o["warnings"] = list(r.Warnings)
	}
	annotations := map[string]any{}
	for k, v := range r.AuditAnnotations {
		if !strings.HasPrefix(k, "authorization.k8s.io/") { // not in recordings
			annotations[k] = v
		}
	}
	if len(annotations) > 0 {
		o["auditAnnotations"] = annotations
	}
	calls, err := callsOf(r, from)
	if len(calls) > 0 {
		o["calls"] = calls
	}
	return o, err
}

func list(texts []string) []any {
	all := make([]any, len(texts))
	for i, t := range texts {
		all[i] = t
	}
	return all
}

func bodyOf(types *objects.Types, r rest.Response) (any, error) {
	if r.Object == nil {
		return r.Text, nil
	}
	text, err := types.Encode(r.Object)
	if err != nil {
		return nil, err
	}
	var v any
	return v, json.Unmarshal(text, &v)
}

// callsOf returns the calls of a request: first those that authorize it and the mutating ones in order, then the
// validating ones by webhook, since these run concurrently.
func callsOf(r rest.Response, from *Recording) ([]any, error) {
	var mutating, validating []any
	admissions := r.Admissions
	if r.Authorization != nil {
		before := trace.Step{Phase: trace.Mutating, Hooks: r.Authorization.Hooks}
		admissions = append([]trace.Admission{{Steps: []trace.Step{before}}}, admissions...)
	}
	for _, a := range admissions {
		for _, step := range a.Steps {
			for _, h := range step.Hooks {
				for n, c := range h.Calls {
					if !arrives(from, h, n) {
						continue
					}
					call, err := callOf(step.Phase, h, c)
					if err != nil {
						return nil, err
					}
					if call == nil { // the recorder leaves these out
						continue
					}
					if step.Phase == trace.Mutating {
						mutating = append(mutating, call)
					} else {
						validating = append(validating, call)
					}
				}
			}
		}
	}
	return append(mutating, byWebhook(validating)...), nil
}

// arrives reports whether the n-th call of a webhook in a step reached it: a recording has only calls that webhooks
// saw.
func arrives(from *Recording, h trace.Hook, n int) bool {
	answers := from.Webhooks[backendName(h.Configuration, h.Name)]
	if len(answers) == 0 {
		return true
	}
	fault := faultOf(answers[min(n, len(answers)-1)])
	return fault != dispatch.Refuse && fault != dispatch.BadCA
}

// callOf returns a call in the form of a recording; nil for conversions and for requests of the server to itself, which
// are not recorded.
func callOf(phase trace.Phase, h trace.Hook, c trace.Call) (map[string]any, error) {
	if h.Name == conversion {
		return nil, nil
	}
	var review any
	if err := json.Unmarshal(c.Review.Bytes(), &review); err != nil {
		return nil, err
	}
	if m, ok := review.(map[string]any); ok {
		if name, _, _ := unstructured.NestedString(m, "request", "userInfo", "username"); name == user.APIServerUser {
			return nil, nil
		}
	}
	query := ""
	if u, err := url.Parse(c.URL); err == nil {
		query = u.RawQuery
	}
	name := backendName(h.Configuration, h.Name)
	at := string(phase)
	switch h.Configuration { // the path of the callback's URL
	case "":
		at = name
	case "authorization":
		at = h.Configuration
	}
	return map[string]any{
		"webhook": name,
		"phase":   at,
		"query":   query,
		"review":  review,
	}, nil
}
