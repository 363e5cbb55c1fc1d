// Package history follows an object through admission, step by step, and records who set each of its fields.
//
// [New] follows one object. [Between] compares two histories of it.
package history

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime"

	"github.com/admsim/admsim/internal/report/document"
	"github.com/admsim/admsim/internal/whatif"
	"github.com/admsim/admsim/pkg/patch"
	"github.com/admsim/admsim/pkg/trace"
)

// A History is an object on its way through admission.
type History struct {
	root    *node
	current []byte
	at      runtime.Object // the object that current is the JSON of, if known
	removed []removal
}

// A removal is a field that existed and was removed.
type removal struct {
	document.RemovedField
	before document.Setter // who had set it
}

// New follows the object of a from its author to the end. body is the body of the request; if it is empty, the history
// begins with the object as the server prepared it.
func New(body []byte, a trace.Admission) (*History, error) {
	if a.Request.Object == nil {
		return nil, fmt.Errorf("a request to %s has no object", strings.ToLower(string(a.Request.Operation)))
	}
	h := &History{}
	var err error
	switch old := a.Request.OldObject; {
	case old != nil:
		err = h.start(old, nil, document.Setter{Sort: document.ByStored})
		if err == nil {
			err = h.To(a.Request.Object, document.Setter{Sort: document.ByUser})
		}
	case len(body) == 0:
		err = h.start(a.Request.Object, nil, document.Setter{Sort: document.ByUser})
	default:
		err = h.start(nil, body, document.Setter{Sort: document.ByUser})
		if err == nil {
			err = h.To(a.Request.Object, document.Setter{Sort: document.ByDefault})
		}
	}
	if err == nil {
		err = h.follow(a)
	}
	return h, err
}

// Object returns the object in its current state, and who set each of its fields.
func (h *History) Object() document.Field { return h.root.field("") }

// Removed returns the fields that were removed and not set again, in the order in which they were removed.
func (h *History) Removed() (all []document.RemovedField) {
	for _, r := range h.removed {
		if h.root.at(r.Path) == nil {
			all = append(all, r.RemovedField)
		}
	}
	return all
}

func (h *History) start(o runtime.Object, data []byte, by document.Setter) (err error) {
	if o != nil {
		if data, err = json.Marshal(o); err != nil {
			return err
		}
	}
	h.at, h.current = o, data
	h.root, err = parse(data, by)
	if err == nil && h.root.fields == nil {
		err = errors.New("the body is no object")
	}
	return err
}

// follow goes through the steps of the chain.
func (h *History) follow(a trace.Admission) error {
	for _, step := range a.Steps {
		if step.Before == nil || step.After == nil {
			continue
		}
		// Changes since the step before are the server's defaulting.
		if err := h.To(step.Before, document.Setter{Sort: document.ByDefault}); err != nil {
			return err
		}
		rest := document.Setter{Sort: document.ByPlugin, Actor: document.Actor{Plugin: step.Plugin, Round: step.Round, Source: step.Source}}
		if step.Phase == trace.Server {
			rest = document.Setter{Sort: document.ByServer}
		}
		for _, hook := range step.Hooks {
			if hook.Outcome != trace.Changed {
				continue
			}
			by := document.Setter{Sort: document.ByPolicy, Actor: whatif.Actor(step, hook)}
			if whatif.IsWebhook(step) {
				by.Sort = document.ByWebhook
			}
			rest = document.Setter{Sort: document.ByDefault}
			if hook.Before == nil || hook.After == nil || kindOf(hook.After) != kindOf(step.After) {
				rest = by // it received another version, with other paths
				continue
			}
			if err := h.hook(hook, by); err != nil {
				return err
			}
		}
		if err := h.To(step.After, rest); err != nil {
			return err
		}
	}
	if a.Object == nil {
		return nil
	}
	return h.To(a.Object, document.Setter{Sort: document.ByServer})
}

// hook follows what one webhook or policy did: it set what its patch sets; further changes are defaults for what it
// added.
func (h *History) hook(hook trace.Hook, by document.Setter) error {
	if err := h.To(hook.Before, document.Setter{Sort: document.ByDefault}); err != nil {
		return err
	}
	if len(hook.Patch) > 0 {
		if patched, err := patch.JSON(h.current, hook.Patch); err == nil {
			if err := h.become(patched, by); err != nil {
				return err
			}
			h.at = nil
			by = document.Setter{Sort: document.ByDefault}
		}
	}
	return h.To(hook.After, by)
}

func kindOf(o runtime.Object) any { return o.GetObjectKind().GroupVersionKind() }

// To records that by changes the current object into o.
func (h *History) To(o runtime.Object, by document.Setter) error {
	if o == h.at {
		return nil
	}
	next, err := json.Marshal(o)
	if err != nil {
		return err
	}
	if err := h.become(next, by); err != nil {
		return err
	}
	h.at = o
	return nil
}

func (h *History) become(next []byte, by document.Setter) error {
	operations, err := patch.Diff(h.current, next)
	if err != nil {
		return err
	}
	for _, op := range operations {
		setter := by
		if op.Op == "remove" {
			h.removed = append(h.removed, removal{document.RemovedField{Path: op.Path, Value: op.Old, By: by}, h.root.at(op.Path).setter()})
		} else if by.Sort == document.ByServer {
			setter = h.putBack(op, by)
		} else if by.Sort == document.ByDefault && op.Op == "replace" && !empty(op.Old) {
			setter = h.root.at(op.Path).setter() // the server only writes the same value differently
		}
		if err := h.root.apply(op, setter); err != nil {
			return err
		}
	}
	h.current = next
	return nil
}

// empty reports whether defaults may replace a value. They do not change other values, except for the way in which they
// are written, such as 1Gi for 1024Mi.
func empty(value []byte) bool {
	return slices.Contains([]string{"", "null", `""`, "0", "false", "{}", "[]"}, string(value))
}

// putBack returns who set a value that the server adds: on an update, it puts back what the user left out and cannot
// change.
func (h *History) putBack(op patch.Operation, by document.Setter) document.Setter {
	for _, r := range h.removed {
		if r.Path == op.Path && bytes.Equal(r.Value, op.Value) {
			return r.before
		}
	}
	return by
}
