package world

import (
	"fmt"
	"slices"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/internal/scenario"
	"github.com/admsim/admsim/pkg/simulator"
)

// Unevaluated warns about policies of other engines that nothing in the cluster evaluates, since it has neither a
// webhook of the engine nor a policy that the engine generated. There is one warning for each engine.
func (w *World) Unevaluated() (warnings []*scenario.Error) {
	var order []string
	first, more, there := map[string]*scenario.Error{}, map[string]int{}, map[string]bool{}
	for o := range w.sim.State().All() {
		kind := o.Object.GetObjectKind().GroupVersionKind()
		engine, ok := scenario.EngineOf(kind)
		if !ok {
			continue
		}
		if _, asked := there[engine.Name]; !asked {
			there[engine.Name] = w.has(engine)
		}
		if there[engine.Name] || w.isParam(kind) {
			continue
		}
		if more[engine.Name]++; more[engine.Name] > 1 {
			continue
		}
		name := ""
		if m, err := meta.Accessor(o.Object); err == nil {
			name = m.GetName()
		}
		order = append(order, engine.Name)
		first[engine.Name] = &scenario.Error{
			Source:  scenario.ParseSource(o.Source),
			Message: fmt.Sprintf("nothing evaluates %s %q: only %s does, and the cluster has no webhook of it", kind.Kind, name, engine.Name),
			Hint:    engine.Hint(),
		}
	}
	for _, name := range order {
		e := first[name]
		if n := more[name] - 1; n > 0 {
			e.Message += fmt.Sprintf("; the same goes for %d more", n)
		}
		warnings = append(warnings, e)
	}
	return warnings
}

// has reports whether the cluster has a webhook of an engine, or a policy that the engine generated.
func (w *World) has(e scenario.Engine) bool {
	for o := range w.sim.WebhookConfigurations() {
		if m, err := meta.Accessor(o.Object); err == nil && e.Names(m.GetName()) {
			return true
		}
	}
	policies, _ := w.sim.Policies()
	return slices.ContainsFunc(policies, func(p simulator.Policy) bool { return e.Names(p.Name) })
}

// isParam reports whether objects of a kind are the params of a policy of the API server. Gatekeeper generates such
// policies for constraints.
func (w *World) isParam(kind schema.GroupVersionKind) bool {
	policies, _ := w.sim.Policies()
	return slices.ContainsFunc(policies, func(p simulator.Policy) bool {
		var params *admissionregistrationv1.ParamKind
		switch o := p.Object.Object.(type) {
		case *admissionregistrationv1.ValidatingAdmissionPolicy:
			params = o.Spec.ParamKind
		case *admissionregistrationv1.MutatingAdmissionPolicy:
			params = o.Spec.ParamKind
		}
		return params != nil && len(p.Bindings) > 0 && params.Kind == kind.Kind && params.APIVersion == kind.GroupVersion().String()
	})
}
