package space

import (
	"encoding/json"
	"fmt"
	"slices"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/admsim/admsim/internal/params"
	"github.com/admsim/admsim/internal/space/diagram"
	"github.com/admsim/admsim/internal/space/syntax"
	"github.com/admsim/admsim/pkg/cluster"
)

func (w World) params() params.World { return params.World{State: w.State, Resources: w.Resources} }

// kindless reports whether requests that a policy matches are refused because its paramKind does not exist.
func (w World) kindless(h *Hook) bool {
	if h.ParamKind == nil {
		return false
	}
	_, err := w.params().Resource(*params.KindOf(h.ParamKind))
	return err != nil
}

// ParamsOf returns the params with which a policy may be evaluated, as they are stored.
func (w World) ParamsOf(h *Hook) (all []cluster.Object) {
	kind, ref := params.KindOf(h.ParamKind), params.Compile(h.ParamRef)
	namespaces, ok := w.params().Namespaces(kind, ref)
	if !ok {
		namespaces = []string{anyNamespace}
	}
	for _, namespace := range namespaces {
		found, err := w.params().Find(kind, ref, namespace)
		if err != nil || found[0] == nil {
			continue
		}
		for _, param := range found {
			if o, ok := w.State.Find(cluster.KeyOf(param)); ok {
				all = append(all, o)
			}
		}
	}
	return all
}

// NotEvaluated returns why a policy is not evaluated for requests from a namespace that it matches: because of its
// params. It returns "" if it is.
func (w World) NotEvaluated(h *Hook, namespace string) string {
	_, err := w.params().Find(params.KindOf(h.ParamKind), params.Compile(h.ParamRef), namespace)
	if err == nil {
		return ""
	}
	text := err.Error()
	if with, ok := err.(interface{ Hint() string }); ok && !params.AreOptional(err) { // whose text has the hint
		text += ": " + with.Hint()
	}
	return text
}

// NoParams returns why no request that a policy matches finds params of its binding.
func (s *Space) NoParams(world int, h *Hook) string {
	return s.worlds[world].params().Lacking(params.KindOf(h.ParamKind), params.Compile(h.ParamRef))
}

// ReadsParams reports whether the conditions of a hook depend on params.
func (h *Hook) ReadsParams() bool {
	return h.ParamKind != nil && slices.ContainsFunc(h.Conditions, func(c admissionregistrationv1.MatchCondition) bool {
		reads, _ := seen(syntax.Parse(c.Expression))
		return reads
	})
}

// anyNamespace stands for the namespace of requests if it makes no difference.
const anyNamespace = "any"

// evaluations are those of a policy for the requests from a namespace that it matches.
type evaluations struct {
	// scopes has for each evaluation the params that conditions see: conditions with the same text mean the same only
	// with the same params.
	scopes []string
	fails  bool // there is none, since params are not found, and that is a failure
}

// once is one evaluation without params.
var once = evaluations{scopes: []string{""}}

// An evaluator knows how often a policy is evaluated, and with which params.
type evaluator struct {
	world World
	hook  *Hook
	ref   *params.Ref
	reads bool // conditions look at params

	same       bool // for all requests
	namespaces []string
	known      map[string]evaluations // by namespace
}

func newEvaluator(w World, h *Hook) *evaluator {
	e := &evaluator{world: w, hook: h, ref: params.Compile(h.ParamRef), reads: h.ReadsParams(), known: map[string]evaluations{}}
	var differs bool
	e.namespaces, differs = w.params().Namespaces(params.KindOf(h.ParamKind), e.ref)
	e.same = !differs
	return e
}

// from returns the evaluations for requests from a namespace, or from none.
func (e *evaluator) from(namespace string) evaluations {
	if e.hook.ParamKind == nil {
		return once
	}
	if e.same {
		namespace = anyNamespace
	}
	if known, ok := e.known[namespace]; ok {
		return known
	}
	found, err := e.world.params().Find(params.KindOf(e.hook.ParamKind), e.ref, namespace)
	all := evaluations{fails: err != nil && !params.AreOptional(err)}
	for _, param := range found {
		if scope := e.scope(param); !slices.Contains(all.scopes, scope) {
			all.scopes = append(all.scopes, scope)
		}
	}
	e.known[namespace] = all
	return all
}

// scope returns what conditions can see of a param.
func (e *evaluator) scope(param runtime.Object) string {
	if !e.reads {
		return ""
	}
	text, err := json.Marshal([]any{e.hook.ParamKind, param})
	if err != nil {
		panic(fmt.Sprintf("params do not encode: %v", err))
	}
	return string(text)
}

// evaluated returns for which of some requests to an endpoint, which are those that it matches, a hook is asked, for
// which its conditions fail, and for which it lacks params.
func (b *regionBuilder) evaluated(e *Endpoint, matched diagram.Set, as []match) (asked, failed, lacking diagram.Set) {
	if matched == diagram.None {
		return diagram.None, diagram.None, diagram.None
	}
	d := b.diagrams
	in := func(of evaluations) (asked, failed, lacking diagram.Set) {
		if of.fails {
			return diagram.None, diagram.None, diagram.All
		}
		for _, scope := range of.scopes {
			for _, one := range as {
				met := b.met(e, one.kind, scope)
				asked, failed = d.Or(asked, d.And(one.set, met.yes)), d.Or(failed, d.And(one.set, met.fails))
			}
		}
		return asked, failed, diagram.None
	}
	if b.evaluator.same || !e.inNamespace() {
		asked, failed, lacking = in(b.evaluator.from(""))
	} else {
		at := b.namespaces.variable
		sets := make([]struct{ asked, failed, lacking diagram.Set }, d.Values(at))
		for i := range sets {
			sets[i].asked, sets[i].failed, sets[i].lacking = in(b.evaluator.from(b.places[i].names[0]))
		}
		asked = d.Choose(at, func(i int) diagram.Set { return d.At(sets[i].asked, at, i) })
		failed = d.Choose(at, func(i int) diagram.Set { return d.At(sets[i].failed, at, i) })
		lacking = d.Choose(at, func(i int) diagram.Set { return d.At(sets[i].lacking, at, i) })
	}
	return d.And(matched, asked), d.And(matched, failed), d.And(matched, lacking)
}
