package space

import (
	"regexp"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/internal/space/diagram"
	"github.com/admsim/admsim/internal/space/syntax"
)

// conditionsKey is what conditions depend on besides the point.
type conditionsKey struct {
	endpoint *Endpoint
	kind     schema.GroupVersionKind
	scope    string
}

// met returns for which requests to an endpoint, seen as a kind, all conditions are met. A false condition takes
// precedence over any that fail (W-121).
//
// scope is what they see of the params of an evaluation.
func (b *regionBuilder) met(e *Endpoint, kind schema.GroupVersionKind, scope string) verdict {
	key := conditionsKey{e, kind, scope}
	if v, ok := b.conditions[key]; ok {
		return v
	}
	r := &conditionReader{b, e, kind, scope}
	v := always
	for _, c := range b.hook.Conditions {
		v = r.and(v, r.condition(b.parsed(c.Expression)))
	}
	b.conditions[key] = v
	return v
}

// parsed returns a condition as a tree.
func (s *Space) parsed(text string) *syntax.Expr {
	if x, ok := s.expressions[text]; ok {
		return x
	}
	x := syntax.Parse(text)
	s.expressions[text] = x
	return x
}

// rest returns a verdict that holds at yes, does not hold at no, and fails elsewhere.
func (r *conditionReader) rest(yes, no diagram.Set) verdict {
	return verdict{yes, no, r.diagrams.Not(r.diagrams.Or(yes, no))}
}

// and follows CEL: false takes precedence over a failure.
func (r *conditionReader) and(a, b verdict) verdict {
	return r.rest(r.diagrams.And(a.yes, b.yes), r.diagrams.Or(a.no, b.no))
}

func not(v verdict) verdict { return verdict{v.no, v.yes, v.fails} }

// condition returns where an expression is true. Unknown parts become dimensions of their own.
func (r *conditionReader) condition(x *syntax.Expr) verdict {
	d := r.diagrams
	switch x.Kind {
	case syntax.Literal:
		if is, ok := x.Value.(bool); ok {
			return r.rest(decided(is), decided(!is))
		}
	case syntax.Has:
		if v, ok := r.has(x); ok {
			return v
		}
	case syntax.Call:
		switch {
		case x.Name == syntax.And:
			return r.and(r.condition(x.Args[0]), r.condition(x.Args[1]))
		case x.Name == syntax.Or:
			return not(r.and(not(r.condition(x.Args[0])), not(r.condition(x.Args[1]))))
		case x.Name == syntax.Not:
			return not(r.condition(x.Args[0]))
		case x.Name == syntax.If:
			c, then, otherwise := r.condition(x.Args[0]), r.condition(x.Args[1]), r.condition(x.Args[2])
			return r.rest(d.Or(d.And(c.yes, then.yes), d.And(c.no, otherwise.yes)), d.Or(d.And(c.yes, then.no), d.And(c.no, otherwise.no)))
		case x.Name == syntax.Equals || x.Name == syntax.NotEquals:
			if v, ok := r.equal(x.Args[0], x.Args[1]); ok {
				if x.Name == syntax.NotEquals {
					v = not(v)
				}
				return v
			}
		case x.Name == syntax.In:
			if v, ok := r.in(x.Args[0], x.Args[1]); ok {
				return v
			}
		case len(x.Args) == 2:
			if v, ok := r.text(x); ok {
				return v
			}
		}
	default:
		if t, ok := r.term(x); ok { // request.dryRun
			return r.where(t, func(is any) bool { return is == true })
		}
	}
	return r.unknown(x)
}

// unknown returns the verdict of a condition that only the condition itself decides, except perhaps where it fails. If
// it looks at params or at the kind, it is a different condition for other params or another kind.
func (r *conditionReader) unknown(x *syntax.Expr) verdict {
	if r.readsNull(x) {
		return broken
	}
	scope := ""
	params, kind := seen(x)
	if params {
		scope = r.scope
	}
	if kind && r.kind != r.endpoint.Kind {
		scope += "\n" + r.kind.String()
	}
	if t, ok := r.typed(x, nil); ok && t.is == aBool {
		d := r.dimension(dimension{is: theCondition, key: x.Text, scope: scope, count: 2})
		defined := r.diagrams.Not(t.fails)
		return verdict{r.diagrams.And(defined, r.diagrams.Among(d.variable, isTrue)), r.diagrams.And(defined, r.diagrams.Among(d.variable, isFalse)), t.fails}
	}
	d := r.dimension(dimension{is: theCondition, key: x.Text, scope: scope, count: 3})
	return r.rest(r.diagrams.Among(d.variable, isTrue), r.diagrams.Among(d.variable, isFalse))
}

// readsNull reports whether an expression always fails because it reads a field of an object that a request does not
// have: the object of a DELETE, or the old object of a CREATE or CONNECT.
func (r *conditionReader) readsNull(x *syntax.Expr) bool {
	return !r.exists("object") && x.AlwaysReads("object") || !r.exists("oldObject") && x.AlwaysReads("oldObject")
}

// where returns where a term has a value for which like returns true. A value that no hook mentions never does.
func (r *conditionReader) where(t term, like func(any) bool) verdict {
	var v verdict
	for _, one := range t {
		switch {
		case one.sort == absent:
		case one.sort == known && like(one.is):
			v.yes = r.diagrams.Or(v.yes, one.at)
		default:
			v.no = r.diagrams.Or(v.no, one.at)
		}
	}
	return r.rest(v.yes, v.no)
}

// fixed returns the value of a term that has only one, which is not a failure.
func (t term) fixed() (any, bool) {
	if len(t) == 1 && t[0].sort == known {
		return t[0].is, true
	}
	return nil, false
}

func isNull(x *syntax.Expr) bool { return x.Kind == syntax.Literal && x.Value == nil }

// equal compares a term with a value, or an object with null.
func (r *conditionReader) equal(a, b *syntax.Expr) (verdict, bool) {
	if isNull(a) {
		a, b = b, a
	}
	if isNull(b) {
		if p, ok := pathOf(a); ok && (p.text == "object" || p.text == "oldObject") {
			null := !r.exists(p.text)
			return r.rest(decided(null), decided(!null)), true
		}
		return verdict{}, false
	}
	x, knownX := r.term(a)
	y, knownY := r.term(b)
	if !knownX || !knownY {
		return verdict{}, false
	}
	isX, fixedX := x.fixed()
	isY, fixedY := y.fixed()
	switch { // a value that is unknown here may be one of those that no hook mentions
	case fixedY && (fixedX || b.Kind == syntax.Literal):
		return r.where(x, func(value any) bool { return value == isY }), true
	case fixedX && a.Kind == syntax.Literal:
		return r.where(y, func(value any) bool { return value == isX }), true
	}
	return verdict{}, false
}

// in looks for a term in a list, for a label among those of an object, or for a group among those of the user.
func (r *conditionReader) in(a, b *syntax.Expr) (verdict, bool) {
	t, ok := r.term(a)
	if !ok {
		return verdict{}, false
	}
	if b.Kind == syntax.List {
		var list []any
		for _, one := range b.Args {
			member, ok := r.term(one)
			if !ok {
				return verdict{}, false
			}
			is, ok := member.fixed()
			if _, fixed := t.fixed(); !ok || !fixed && one.Kind != syntax.Literal {
				return verdict{}, false
			}
			list = append(list, is)
		}
		return r.where(t, func(is any) bool { return slices.Contains(list, is) }), true
	}
	text, isText := a.Value.(string)
	p, isPath := pathOf(b)
	if a.Kind != syntax.Literal || !isText || !isPath || p.optional {
		return verdict{}, false
	}
	switch {
	case p.text == "request.userInfo.groups":
		d := r.group(text)
		return r.rest(r.diagrams.Among(d.variable, 1), r.diagrams.Among(d.variable, 0)), true
	case p.isLabels():
		return r.hasLabel(strings.TrimSuffix(p.text, ".metadata.labels"), text)
	}
	return verdict{}, false
}

// hasLabel returns where an object has a label. It fails if the object has no labels at all.
func (r *conditionReader) hasLabel(object, key string) (verdict, bool) {
	if !r.hasMetadata(object) {
		return broken, true
	}
	any, ok := r.hasLabels(object)
	if !ok {
		return verdict{}, false
	}
	d := r.diagrams
	none := d.Among(r.label(r.sourceOf(object), key).variable, 0)
	return r.rest(d.Not(none), d.And(any, none)), true
}

// has returns the verdict of the macro has().
func (r *conditionReader) has(x *syntax.Expr) (verdict, bool) {
	of, ok := pathOf(x.Args[0])
	if !ok || of.optional {
		return verdict{}, false
	}
	p := of.member(x.Name)
	switch {
	case p.text == "label":
		return r.hasLabel(p.of, p.key)
	case p.isLabels():
		object := strings.TrimSuffix(p.text, ".metadata.labels")
		if !r.hasMetadata(object) {
			return broken, true
		}
		has, ok := r.hasLabels(object)
		return r.rest(has, r.diagrams.Not(has)), ok
	case (of.text == "object" || of.text == "oldObject") && (p.text == of.text+".metadata" || !r.exists(of.text)):
		return r.rest(decided(r.hasMetadata(of.text)), decided(!r.hasMetadata(of.text))), true
	case of.text == "request":
		t, ok := r.read(p)
		var defined diagram.Set
		for _, one := range t {
			if one.sort != absent {
				defined = r.diagrams.Or(defined, one.at)
			}
		}
		return r.rest(defined, r.diagrams.Not(defined)), ok
	}
	return verdict{}, false
}

// text returns the verdict of a function of a term and a text. Its result for values that no hook mentions is unknown.
func (r *conditionReader) text(x *syntax.Expr) (verdict, bool) {
	is, ok := textFunctions[x.Name]
	if !ok {
		return verdict{}, false
	}
	t, known := r.term(x.Args[0])
	with, isText := x.Args[1].Value.(string)
	if !known || !isText {
		return verdict{}, false
	}
	unknown, asked := verdict{}, false
	d := r.diagrams
	var yes, no diagram.Set
	for _, one := range t {
		value, isText := one.is.(string)
		switch {
		case one.sort == absent:
		case one.sort == another:
			if !asked {
				unknown, asked = r.unknown(x), true
			}
			yes, no = d.Or(yes, d.And(one.at, unknown.yes)), d.Or(no, d.And(one.at, unknown.no))
		case !isText:
		default:
			holds, ok := is(value, with)
			if !ok {
				return verdict{}, false
			}
			if holds {
				yes = d.Or(yes, one.at)
			} else {
				no = d.Or(no, one.at)
			}
		}
	}
	return r.rest(yes, no), true
}

// textFunctions are functions of CEL; ok is false if they do not accept the second text.
var textFunctions = map[string]func(text, with string) (is, ok bool){
	"startsWith": func(text, with string) (bool, bool) { return strings.HasPrefix(text, with), true },
	"endsWith":   func(text, with string) (bool, bool) { return strings.HasSuffix(text, with), true },
	"contains":   func(text, with string) (bool, bool) { return strings.Contains(text, with), true },
	"matches": func(text, with string) (bool, bool) {
		pattern, err := regexp.Compile(with)
		return err == nil && pattern.MatchString(text), err == nil
	},
}

func (s *Space) user() *dimension {
	return s.dimension(dimension{is: theUser, count: len(s.users) + 1})
}

func (s *Space) group(name string) *dimension {
	return s.dimension(dimension{is: theGroup, key: name, count: 2})
}

// conditions collects the texts that conditions compare with what they read.
func (m *mentions) conditions(h *Hook) {
	for _, c := range h.Conditions {
		m.parsed(c.Expression).Each(func(x *syntax.Expr) {
			if p, ok := pathOf(x); ok {
				m.path(p, nil)
			}
			if x.Kind == syntax.Has {
				if p, ok := pathOf(x.Args[0]); ok {
					m.path(p.member(x.Name), nil)
				}
			}
			if x.Kind != syntax.Call || len(x.Args) != 2 {
				return
			}
			a, b := x.Args[0], x.Args[1]
			if x.Name == syntax.In {
				if p, ok := pathOf(b); ok && p.isLabels() {
					m.path(p.member(textOf(a)), nil)
				}
			}
			if textFunctions[x.Name] == nil {
				m.compared(a, texts(b))
				m.compared(b, texts(a))
			}
			if p, ok := pathOf(a); ok && p.text == "request.namespace" && textFunctions[x.Name] != nil {
				m.apart = true
			}
		})
	}
}

// compared records that a term is compared with texts.
func (m *mentions) compared(x *syntax.Expr, with []string) {
	if x.Kind == syntax.Call && x.Name == "orValue" && len(x.Args) == 2 {
		x, with = x.Args[0], append(with, texts(x.Args[1])...)
	}
	if p, ok := pathOf(x); ok {
		m.path(p, with)
	}
}

func (m *mentions) path(p path, with []string) {
	switch p.text {
	case "label":
		m.label(p.key, with...)
		if p.key == corev1.LabelMetadataName {
			m.names = append(m.names, with...)
		}
	case "request.namespace", "request.name":
		m.names = append(m.names, with...)
	case "request.userInfo.username":
		m.users = append(m.users, with...)
	}
}

// texts returns the texts that are written in an expression: a single one, or a list.
func texts(x *syntax.Expr) (all []string) {
	switch x.Kind {
	case syntax.Literal:
		if text, ok := x.Value.(string); ok {
			all = append(all, text)
		}
	case syntax.List:
		for _, one := range x.Args {
			all = append(all, texts(one)...)
		}
	}
	return all
}

func textOf(x *syntax.Expr) string {
	text, _ := x.Value.(string)
	return text
}
