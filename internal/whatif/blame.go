package whatif

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"k8s.io/apimachinery/pkg/runtime"

	"github.com/admsim/admsim/internal/world"
	"github.com/admsim/admsim/pkg/patch"
	"github.com/admsim/admsim/pkg/rest"
	"github.com/admsim/admsim/pkg/simulator"
	"github.com/admsim/admsim/pkg/trace"
)

// A Sort is the sort of a [Setter].
type Sort string

// The sorts of setters.
const (
	ByUser    Sort = "user"    // who sent the request
	ByStored  Sort = "stored"  // it was there before the request
	ByDefault Sort = "default" // the server, for what nobody set; after webhooks, too
	ByPlugin  Sort = "plugin"
	ByPolicy  Sort = "policy"
	ByWebhook Sort = "webhook"
	ByServer  Sort = "server" // as it prepared and wrote the object, behind the mutating phase
)

// A Setter is who set a field last.
type Setter struct {
	Sort Sort
	Actor
}

// String is who it is in a few words.
func (s Setter) String() string {
	text := string(s.Sort)
	if s.Sort == ByPlugin || s.Sort == ByPolicy || s.Sort == ByWebhook {
		text += " " + s.Actor.String()
	}
	if s.Round > 0 {
		text += fmt.Sprintf(" (round %d)", s.Round+1)
	}
	return text
}

// A Field is a part of an object, and who set it last. A map and a list was set by who
// made it; what is in it may have come later.
type Field struct {
	Name   string // in the map around it
	By     Setter
	Value  json.RawMessage // of what is neither map nor list
	IsMap  bool
	IsList bool
	Parts  []Field // of a map by name, of a list in order
}

// A Removal is a field that was there and is no longer.
type Removal struct {
	Path   string // a JSON pointer, at the moment of the removal
	Value  json.RawMessage
	By     Setter
	before Setter // who had set it
}

// A Blame says who set what in an object.
type Blame struct {
	Request Sample
	Denied  string // why the request is denied; the object is as it was then
	Object  Field
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
	request := Request{Written: &asked.From}
	h, err := newHistory(asked.API, asked.Review != nil, result.Admissions[0])
	if err != nil {
		return nil, err
	}
	// The answer may be something else, such as the status of a binding.
	if o := result.Admissions[0].Object; o != nil && result.Object != nil && kindOf(o) == kindOf(result.Object) {
		if err := h.to(result.Object, Setter{Sort: ByServer}); err != nil {
			return nil, err
		}
	}
	b := &Blame{Request: sampleOf(asked, request), Object: h.root.field("")}
	for _, r := range h.removed {
		if h.root.at(r.Path) == nil { // else somebody set it again
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
		err = h.start(old, nil, Setter{Sort: ByStored})
		if err == nil {
			err = h.to(a.Request.Object, Setter{Sort: ByUser})
		}
	case prepared || len(api.Body) == 0:
		err = h.start(a.Request.Object, nil, Setter{Sort: ByUser})
	default:
		err = h.start(nil, api.Body, Setter{Sort: ByUser})
		if err == nil {
			err = h.to(a.Request.Object, Setter{Sort: ByDefault})
		}
	}
	if err == nil {
		err = h.follow(a)
	}
	return h, err
}

func (h *history) start(o runtime.Object, data []byte, by Setter) (err error) {
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
		if err := h.to(step.Before, Setter{Sort: ByDefault}); err != nil {
			return err
		}
		rest := Setter{ByPlugin, Actor{Plugin: step.Plugin, Round: step.Round, Source: step.Source}}
		if step.Phase == trace.Server {
			rest = Setter{Sort: ByServer}
		}
		for _, hook := range step.Hooks {
			if hook.Outcome != trace.Changed {
				continue
			}
			by := Setter{ByPolicy, hookOf(step, hook)}
			if isWebhook(step) {
				by.Sort = ByWebhook
			}
			rest = Setter{Sort: ByDefault}
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
	return h.to(a.Object, Setter{Sort: ByServer})
}

// hook follows what one webhook or policy did: its patch is its own, what is different
// beyond that are defaults for what it added.
func (h *history) hook(hook trace.Hook, by Setter) error {
	if err := h.to(hook.Before, Setter{Sort: ByDefault}); err != nil {
		return err
	}
	if len(hook.Patch) > 0 {
		if patched, err := patch.JSON(h.current, hook.Patch); err == nil {
			if err := h.become(patched, by); err != nil {
				return err
			}
			h.at = nil
			by = Setter{Sort: ByDefault}
		}
	}
	return h.to(hook.After, by)
}

func kindOf(o runtime.Object) any { return o.GetObjectKind().GroupVersionKind() }

// to has by make what it is into o.
func (h *history) to(o runtime.Object, by Setter) error {
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

func (h *history) become(next []byte, by Setter) error {
	operations, err := patch.Diff(h.current, next)
	if err != nil {
		return err
	}
	for _, op := range operations {
		setter := by
		if op.Op == "remove" {
			h.removed = append(h.removed, Removal{op.Path, op.Old, by, h.root.at(op.Path).setter()})
		} else if by.Sort == ByServer {
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
func (h *history) putBack(op patch.Operation, by Setter) Setter {
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
func (s setters) of(o patch.Operation) Actor {
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

func (h *history) setter(path string) Actor {
	if h == nil {
		return Actor{}
	}
	if n := h.root.at(path); n != nil {
		by := n.by
		if by.Plugin == "" && by.Sort != ByServer {
			by.Plugin = string(by.Sort)
		}
		return by.Actor
	}
	return Actor{}
}
