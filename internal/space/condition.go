package space

import (
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/internal/space/diagram"
)

// conditionsKey is what conditions depend on beside the point.
type conditionsKey struct {
	endpoint *Endpoint
	kind     schema.GroupVersionKind
}

// met returns for which requests to an endpoint, seen as a kind, all conditions are met. One that is false outweighs any
// that fail (W-121).
func (b *building) met(e *Endpoint, kind schema.GroupVersionKind) verdict {
	key := conditionsKey{e, kind}
	if v, ok := b.conditions[key]; ok {
		return v
	}
	d := b.diagrams
	v := always
	for _, c := range b.hook.Conditions {
		one := b.unknown(c.Expression, e, kind)
		v.yes, v.no = d.And(v.yes, one.yes), d.Or(v.no, one.no)
	}
	v.fails = d.Not(d.Or(v.yes, v.no))
	b.conditions[key] = v
	return v
}

// unknown is a condition that nothing but itself decides. As another kind it is another condition.
func (b *building) unknown(text string, e *Endpoint, kind schema.GroupVersionKind) verdict {
	scope := b.hook.Scope
	if kind != e.Kind {
		scope += "\n" + kind.String()
	}
	d := b.dimension(dimension{is: theCondition, key: text, scope: scope, count: 3})
	return verdict{
		yes:   b.diagrams.Among(d.variable, isTrue),
		no:    b.diagrams.Among(d.variable, isFalse),
		fails: b.diagrams.Among(d.variable, fails),
	}
}

var _ = diagram.All
