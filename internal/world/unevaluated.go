package world

import (
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/api/meta"

	"github.com/admsim/admsim/internal/scenario"
	"github.com/admsim/admsim/pkg/simulator"
)

// Unevaluated warns of policies of other engines that nothing in the cluster evaluates, since it has no webhook of the
// engine and no policy that the engine has generated. There is one warning for each engine.
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
		if there[engine.Name] {
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

// has reports whether the cluster has a webhook of an engine, or a policy that it has generated.
func (w *World) has(e scenario.Engine) bool {
	for o := range w.sim.WebhookConfigurations() {
		if m, err := meta.Accessor(o.Object); err == nil && e.Names(m.GetName()) {
			return true
		}
	}
	policies, _ := w.sim.Policies()
	return slices.ContainsFunc(policies, func(p simulator.Policy) bool { return e.Names(p.Name) })
}
