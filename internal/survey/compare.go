package survey

import (
	"errors"
	"fmt"
	"iter"
	"slices"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/internal/report/document"
	"github.com/admsim/admsim/internal/space"
	"github.com/admsim/admsim/pkg/cluster"
)

// A Comparison lists the hooks that can refuse or change requests in one of two worlds but not, or not in the same way,
// in the other, and which requests they are asked about, taken together.
type Comparison struct {
	Base, Head []document.SurveySubject // without regions
	Same       []document.Actor         // left out, since they are the same in both worlds

	Regions []document.SurveyRegion // asked about, or refused without being asked, in one world only
	Size    document.SurveySize

	Unserved []string // resources that rules name and neither world serves

	Points      []Point      // what hooks are asked about in at least one of the worlds
	Expressions []Expression // that decide, in either world
}

// A Point is an operation on a resource, with one of the requests that hooks are asked about.
type Point struct {
	Endpoint space.Endpoint
	Witness  space.Witness
	Shown    *document.SurveyWitness // Witness in the form that is shown
}

// An Expression is a condition or validation of a policy, or a condition of a webhook.
type Expression struct {
	Text string

	// What the expression mentions besides the request.
	Variables map[string]string // expressions of variables, by name
	Params    []map[string]any  // the possible values of params
}

// Compare compares what differs between two worlds. If nothing does, it compares everything.
func Compare(base, head *World) (*Comparison, error) {
	if len(base.hooks)+len(head.hooks) == 0 {
		return nil, head.nothing()
	}
	s := spaceOf(base, head)
	c := &Comparison{}
	same := map[string]bool{}
	for i := range base.hooks {
		old := &base.hooks[i]
		now := find(head, old.id)
		if now == nil || len(changedSettings(old, now, now.actor)) > 0 {
			continue
		}
		before, after := s.Region(0, &old.Hook), s.Region(1, &now.Hook)
		same[old.id] = slices.Equal(before.Asked, after.Asked) && slices.Equal(before.Refused, after.Refused)
	}
	if !slices.ContainsFunc(slices.Concat(base.hooks, head.hooks), func(h hook) bool { return h.decides() && !same[h.id] }) {
		clear(same)
	}
	var asked, refused [2]space.Requests
	for i, w := range []*World{base, head} {
		var all, without []space.Requests
		for j := range w.hooks {
			h := &w.hooks[j]
			switch {
			case same[h.id]:
				if i == 0 {
					c.Same = append(c.Same, w.apart(h))
				}
				continue
			case !h.decides():
				continue
			}
			subject := document.SurveySubject{Kind: h.kind(), Webhook: h.actor, Regions: []document.SurveyRegion{}}
			if i == 0 {
				c.Base = append(c.Base, subject)
			} else {
				c.Head = append(c.Head, subject)
			}
			c.addExpressions(h)
			r := s.Region(i, &h.Hook)
			all, without = append(all, r.Asked), append(without, r.Refused)
		}
		var wrote, also bool
		asked[i], wrote = s.Union(all...)
		refused[i], also = s.Union(without...)
		if !wrote || !also {
			return nil, errors.New("the requests that webhooks and policies are asked about take too much to be written down")
		}
	}
	b := &between{s, base, head}
	c.Regions = b.regions(space.Region{Asked: asked[0], Refused: refused[0]}, space.Region{Asked: asked[1], Refused: refused[1]}, func(what string, r space.Requests) []document.SurveyRegion {
		return b.apart(what, r, nil)
	})
	c.Unserved = unserved(s, base, head)
	c.Size.Endpoints, c.Size.Dimensions, _ = s.Size()
	for _, part := range []space.Requests{s.And(asked[0], asked[1]), s.Minus(asked[1], asked[0]), s.Minus(asked[0], asked[1])} {
		for endpoint, r := range s.Endpoints(part) {
			if w, ok := s.Witness(r); ok {
				c.Points = append(c.Points, Point{endpoint, w, witness(w)})
			}
		}
	}
	return c, nil
}

// decides reports whether the hook can affect a request.
func (h *hook) decides() bool { return h.denies || h.Mutating }

// addExpressions adds the expressions of a hook that decide.
func (c *Comparison) addExpressions(h *hook) {
	texts := slices.Clone(h.decisive)
	for _, condition := range h.Conditions {
		texts = append(texts, condition.Expression)
	}
	for _, text := range texts {
		c.Expressions = append(c.Expressions, Expression{text, h.variables, h.params})
	}
}

// readPolicy reads the deciding expressions of a policy.
func (h *hook) readPolicy(policy runtime.Object) {
	var variables []admissionregistrationv1.Variable
	switch o := policy.(type) {
	case *admissionregistrationv1.ValidatingAdmissionPolicy:
		variables = o.Spec.Variables
		for _, v := range o.Spec.Validations {
			h.decisive = append(h.decisive, v.Expression)
		}
	case *admissionregistrationv1.MutatingAdmissionPolicy:
		variables = o.Spec.Variables
	}
	h.variables = map[string]string{}
	for _, v := range variables {
		h.variables[v.Name] = v.Expression
	}
}

// readParams reads the params with which a policy may be evaluated. What they say is not compared.
func (h *hook) readParams(w space.World) {
	for _, param := range w.ParamsOf(&h.Hook) {
		fields, err := runtime.DefaultUnstructuredConverter.ToUnstructured(param.Object)
		if err != nil {
			panic(fmt.Sprintf("params do not encode: %v", err))
		}
		h.params = append(h.params, fields)
		h.settings = append(h.settings, settingsOfParam(fields, param)...)
	}
}

// Namespaces returns the labels of the namespaces of a cluster, by name.
func Namespaces(s *cluster.State) iter.Seq2[string, map[string]string] {
	return func(yield func(string, map[string]string) bool) {
		for o := range s.List(schema.GroupKind{Kind: "Namespace"}, "") {
			if ns, ok := o.Object.(*corev1.Namespace); ok && !yield(ns.Name, ns.Labels) {
				return
			}
		}
	}
}
