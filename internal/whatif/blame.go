package whatif

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"k8s.io/apimachinery/pkg/runtime"

	"github.com/admsim/admsim/internal/report/document"
	"github.com/admsim/admsim/internal/traffic"
	"github.com/admsim/admsim/internal/world"
	"github.com/admsim/admsim/pkg/patch"
	"github.com/admsim/admsim/pkg/rest"
	"github.com/admsim/admsim/pkg/simulator"
	"github.com/admsim/admsim/pkg/trace"
)

// A Removal is a field that was there and is no longer.
type Removal struct {
	Path   string // a JSON pointer, at the moment of the removal
	Value  json.RawMessage
	By     document.Setter
	before document.Setter // who had set it
}

// A Blame says who set what in an object.
type Blame struct {
	Request document.Sample
	Denied  string // why the request is denied; the object is as it was then
	Object  document.Field
	Removed []Removal // in the order in which it happened
}

// NewBlame finds out who set the fields of the object that a request is about.
func NewBlame(asked world.Asked, result *simulator.Result) (*Blame, error) {
	if len(result.Admissions) == 0 {
		return nil, notAdmitted(asked, result)
	}
	if len(result.Admissions) > 1 {
		return nil, errors.New("the request is about several objects")
	}
	request := traffic.Request{Written: &asked.From}
	h, err := newHistory(asked.API, asked.Review != nil, result.Admissions[0])
	if err != nil {
		return nil, err
	}
	// The answer may be something else, such as the status of a binding.
	if o := result.Admissions[0].Object; o != nil && result.Object != nil && kindOf(o) == kindOf(result.Object) {
		if err := h.to(result.Object, document.Setter{Sort: document.ByServer}); err != nil {
			return nil, err
		}
	}
	b := &Blame{Request: sampleOf(asked, request), Object: h.root.field("")}
	for _, r := range h.removed {
		if h.root.at(r.Path) == nil { // else it was set again
			b.Removed = append(b.Removed, r)
		}
	}
	if !allowed(result) {
		b.Denied = message(result)
	}
	return b, nil
}

// A history is an object on its way through admission.
type history struct {
	root    *node
	current []byte
	at      runtime.Object // that current is the JSON of, where it is known
	removed []Removal
}

// newHistory follows the object of a from who sent it to the end.
func newHistory(api rest.Request, prepared bool, a trace.Admission) (*history, error) {
	if a.Request.Object == nil {
		return nil, fmt.Errorf("a request to %s has no object", verbOf(a.Request.Operation))
	}
	h := &history{}
	var err error
	switch old := a.Request.OldObject; {
	case old != nil:
		err = h.start(old, nil, document.Setter{Sort: document.ByStored})
		if err == nil {
			err = h.to(a.Request.Object, document.Setter{Sort: document.ByUser})
		}
	case prepared || len(api.Body) == 0:
		err = h.start(a.Request.Object, nil, document.Setter{Sort: document.ByUser})
	default:
		err = h.start(nil, api.Body, document.Setter{Sort: document.ByUser})
		if err == nil {
			err = h.to(a.Request.Object, document.Setter{Sort: document.ByDefault})
		}
	}
	if err == nil {
		err = h.follow(a)
	}
	return h, err
}

func (h *history) start(o runtime.Object, data []byte, by document.Setter) (err error) {
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
func (h *history) follow(a trace.Admission) error {
	for _, step := range a.Steps {
		if step.Before == nil || step.After == nil {
			continue
		}
		// What happened since the step before is the server's defaulting.
		if err := h.to(step.Before, document.Setter{Sort: document.ByDefault}); err != nil {
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
			by := document.Setter{Sort: document.ByPolicy, Actor: hookOf(step, hook)}
			if isWebhook(step) {
				by.Sort = document.ByWebhook
			}
			rest = document.Setter{Sort: document.ByDefault}
			if hook.Before == nil || hook.After == nil || kindOf(hook.After) != kindOf(step.After) {
				rest = by // it was shown another version, in which paths are others
				continue
			}
			if err := h.hook(hook, by); err != nil {
				return err
			}
		}
		if err := h.to(step.After, rest); err != nil {
			return err
		}
	}
	if a.Object == nil {
		return nil
	}
	return h.to(a.Object, document.Setter{Sort: document.ByServer})
}

// hook follows what one webhook or policy did: its patch is its own, what is different
// beyond that are defaults for what it added.
func (h *history) hook(hook trace.Hook, by document.Setter) error {
	if err := h.to(hook.Before, document.Setter{Sort: document.ByDefault}); err != nil {
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
	return h.to(hook.After, by)
}

func kindOf(o runtime.Object) any { return o.GetObjectKind().GroupVersionKind() }

// to has by make what it is into o.
func (h *history) to(o runtime.Object, by document.Setter) error {
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

func (h *history) become(next []byte, by document.Setter) error {
	operations, err := patch.Diff(h.current, next)
	if err != nil {
		return err
	}
	for _, op := range operations {
		setter := by
		if op.Op == "remove" {
			h.removed = append(h.removed, Removal{op.Path, op.Old, by, h.root.at(op.Path).setter()})
		} else if by.Sort == document.ByServer {
			setter = h.putBack(op, by)
		}
		if err := h.root.apply(op, setter); err != nil {
			return err
		}
	}
	h.current = next
	return nil
}

// putBack is who set what the server adds: on an update it puts back what the user left
// out and cannot change.
func (h *history) putBack(op patch.Operation, by document.Setter) document.Setter {
	for _, r := range h.removed {
		if r.Path == op.Path && bytes.Equal(r.Value, op.Value) {
			return r.before
		}
	}
	return by
}

// setters are those that set a field that differs between two answers.
type setters struct {
	base, head *history
}

func newSetters(base, head *simulator.Result) setters {
	history := func(r *simulator.Result) *history {
		if len(r.Admissions) != 1 {
			return nil
		}
		h, err := newHistory(rest.Request{}, true, r.Admissions[0])
		if err != nil {
			return nil
		}
		return h
	}
	return setters{history(base), history(head)}
}

// of is who set the field of an operation in head, or removed it there, or set it in base.
func (s setters) of(o patch.Operation) document.Actor {
	if o.Op == "remove" {
		if s.head != nil {
			for _, r := range s.head.removed {
				if r.Path == o.Path {
					return r.By.Actor
				}
			}
		}
		return s.base.setter(o.Path)
	}
	return s.head.setter(o.Path)
}

func (h *history) setter(path string) document.Actor {
	if h == nil {
		return document.Actor{}
	}
	if n := h.root.at(path); n != nil {
		by := n.by
		if by.Plugin == "" && by.Sort != document.ByServer {
			by.Plugin = string(by.Sort)
		}
		return by.Actor
	}
	return document.Actor{}
}
