package variants

import (
	"cmp"
	"encoding/json"
	"slices"

	"github.com/admsim/admsim/internal/scenario"
	"github.com/admsim/admsim/pkg/dispatch"
)

// A Fault makes the webhooks of a case fail in a combination of its matrix.
type Fault struct {
	mock     *dispatch.Mock
	backends *dispatch.Backends
}

// newFault returns nil if the combination has no fault.
func newFault(webhook, fault string) (*Fault, error) {
	if fault == "" || fault == scenario.NoFault {
		return nil, nil
	}
	mock, err := dispatch.NewMock(nil, scenario.FaultAnswer(fault))
	if err != nil {
		return nil, err
	}
	b, err := matching(webhook, mock)
	return &Fault{mock, b}, err
}

// Given reports whether a webhook met the fault.
func (f *Fault) Given() bool { return len(f.mock.Unused()) == 0 }

// matching returns a single backend for the webhooks that a pattern names; an empty pattern names all.
func matching(pattern string, backend dispatch.Backend) (*dispatch.Backends, error) {
	return dispatch.NewBackends(dispatch.Route{Webhook: cmp.Or(pattern, "*"), Backend: backend})
}

// withFailurePolicy returns objects with that failure policy in the webhooks that webhook names; all webhooks if it is
// empty.
func withFailurePolicy(objects []scenario.Manifest, policy, webhook string) ([]scenario.Manifest, error) {
	named, err := matching(webhook, nil)
	if err != nil {
		return nil, err
	}
	changed := slices.Clone(objects)
	for i, m := range changed {
		if m.Group != "admissionregistration.k8s.io" {
			continue
		}
		var whole map[string]any
		if err := json.Unmarshal(m.JSON, &whole); err != nil {
			return nil, err
		}
		webhooks, _ := whole["webhooks"].([]any)
		for _, w := range webhooks {
			one, _ := w.(map[string]any)
			if name, _ := one["name"].(string); named.Declares(m.Name, name) {
				one["failurePolicy"] = policy
			}
		}
		if changed[i].JSON, err = json.Marshal(whole); err != nil {
			return nil, err
		}
	}
	return changed, nil
}
