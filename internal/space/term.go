package space

import (
	admissionv1 "k8s.io/api/admission/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/internal/space/diagram"
	"github.com/admsim/admsim/internal/space/syntax"
)

// A term holds the possible values of a part of a condition, each with the points at which it has that value.
type term []value

// A value is one value of a term, or its absence.
type value struct {
	is   any // a string or a bool
	at   diagram.Set
	sort sort
}

type sort uint8

const (
	known   sort = iota
	another      // no value that a hook mentions
	absent       // reading it fails
)

// A path is what a condition reads from a request, such as request.userInfo.username.
type path struct {
	text string // "label" for labels
	of   string // of labels: object or oldObject
	key  string

	optional bool // a missing label, or no labels at all, is not a failure
}

// pathOf returns the path of an expression; ok is false if it is not a path.
func pathOf(x *syntax.Expr) (p path, ok bool) {
	switch x.Kind {
	case syntax.Ident:
		return path{text: x.Name}, true
	case syntax.Select:
		p, ok = pathOf(x.Args[0])
		return p.member(x.Name), ok
	case syntax.Call:
		if len(x.Args) != 2 {
			return p, false
		}
		key, isText := x.Args[1].Value.(string)
		if x.Args[1].Kind != syntax.Literal || !isText {
			return p, false
		}
		switch x.Name {
		case syntax.Index:
			p, ok = pathOf(x.Args[0])
			return p.member(key), ok && (p.isLabels() || !p.optional)
		case syntax.OptSelect: // object.metadata.?labels
			p, ok = pathOf(x.Args[0])
			ok = ok && key == "labels" && (p.text == "object.metadata" || p.text == "oldObject.metadata")
			p = p.member(key)
			p.optional = true
			return p, ok
		case syntax.OptIndex: // …labels[?"key"], which fails only if there are no labels at all
			p, ok = pathOf(x.Args[0])
			return p.member(key), ok && p.isLabels() && p.optional
		}
	}
	return p, false
}

func (p path) isLabels() bool {
	return p.text == "object.metadata.labels" || p.text == "oldObject.metadata.labels"
}

func (p path) member(name string) path {
	switch p.text {
	case "object.metadata.labels":
		return path{text: "label", of: "object", key: name, optional: p.optional}
	case "oldObject.metadata.labels":
		return path{text: "label", of: "oldObject", key: name, optional: p.optional}
	}
	return path{text: p.text + "." + name, optional: p.optional}
}

// A conditionReader evaluates conditions at an endpoint, seen as a kind.
type conditionReader struct {
	*regionBuilder
	endpoint *Endpoint
	kind     schema.GroupVersionKind
	scope    string
}

// term returns the values of an expression; ok is false if they are unknown.
func (r *conditionReader) term(x *syntax.Expr) (t term, ok bool) {
	if x.Kind == syntax.Literal {
		switch x.Value.(type) {
		case string, bool:
			return term{{is: x.Value, at: diagram.All}}, true
		}
		return nil, false
	}
	if x.Kind == syntax.Call && x.Name == "orValue" && len(x.Args) == 2 {
		return r.orValue(x.Args[0], x.Args[1])
	}
	p, ok := pathOf(x)
	if !ok || p.optional {
		return nil, false
	}
	return r.read(p)
}

// orValue returns the values of a label, or a text where the label is absent.
func (r *conditionReader) orValue(x, otherwise *syntax.Expr) (t term, ok bool) {
	p, ok := pathOf(x)
	text, isText := otherwise.Value.(string)
	if !ok || !p.optional || p.text != "label" || otherwise.Kind != syntax.Literal || !isText {
		return nil, false
	}
	if t, ok = r.read(p); !ok || !r.hasMetadata(p.of) { // then it fails
		return t, ok
	}
	for i := range t {
		if t[i].sort == absent {
			t[i].sort, t[i].is = known, text
		}
	}
	return t, true
}

func constant(is any) (term, bool) { return term{{is: is, at: diagram.All}}, true }

func failing() (term, bool) { return term{{sort: absent, at: diagram.All}}, true }

// present returns a text that is absent if it is empty.
func present(text string) (term, bool) {
	if text == "" {
		return failing()
	}
	return constant(text)
}

// read returns the values at a path.
func (r *conditionReader) read(p path) (term, bool) {
	e := r.endpoint
	switch p.text {
	case "label":
		return r.readLabel(p)
	case "request.operation":
		return constant(string(e.Operation))
	case "request.kind.group":
		return constant(r.kind.Group)
	case "request.kind.version":
		return constant(r.kind.Version)
	case "request.kind.kind":
		return constant(r.kind.Kind)
	case "request.requestKind.group":
		return constant(e.Kind.Group)
	case "request.requestKind.version":
		return constant(e.Kind.Version)
	case "request.requestKind.kind":
		return constant(e.Kind.Kind)
	case "request.resource.group", "request.resource.version", "request.resource.resource":
		if r.hook.Policy && r.kind != e.Kind { // the operation that the policy matched
			return nil, false
		}
		return r.read(path{text: "request.requestResource" + p.text[len("request.resource"):]})
	case "request.requestResource.group":
		return constant(e.Resource.Group)
	case "request.requestResource.version":
		return constant(e.Resource.Version)
	case "request.requestResource.resource":
		return constant(e.Resource.Resource)
	case "request.subResource", "request.requestSubResource":
		return present(e.Subresource)
	case "request.dryRun":
		d := r.dryRun()
		return r.values(d, func(v int) value { return value{is: v == 1} }), true
	case "request.userInfo.username":
		d := r.user()
		return r.values(d, func(v int) value {
			if v == 0 {
				return value{sort: another}
			}
			return value{is: r.users[v-1]}
		}), true
	case "request.namespace":
		if !e.inNamespace() {
			return failing()
		}
		return r.values(r.namespaces, r.placeName), true
	case "request.name":
		d, name := r.namesAt(e)
		if d == r.namespaces {
			return r.values(d, r.placeName), true
		}
		return r.values(d, func(v int) value {
			switch {
			case v == 0:
				return value{sort: another}
			case name(v) == "":
				return value{sort: absent}
			}
			return value{is: name(v)}
		}), true
	}
	return nil, false
}

// placeName returns the name of a place.
func (r *conditionReader) placeName(v int) value {
	p := &r.places[v]
	if v == r.other() || len(p.names) > 1 {
		return value{sort: another}
	}
	return value{is: p.names[0]}
}

func (r *conditionReader) values(d *dimension, of func(int) value) (t term) {
	for v := range d.count {
		one := of(v)
		one.at = r.diagrams.Among(d.variable, v)
		t = append(t, one)
	}
	return t
}

// exists reports whether there is an object, or an old object.
func (r *conditionReader) exists(object string) bool { return NullIn(r.endpoint.Operation) != object }

// hasMetadata reports whether an object, or an old object, exists and has metadata: options of connections have none.
func (r *conditionReader) hasMetadata(object string) bool {
	return r.exists(object) && r.endpoint.Operation != admissionv1.Connect
}

func (r *conditionReader) sourceOf(object string) source {
	if object == "object" {
		return r.endpoint.source(ofObject)
	}
	return r.endpoint.source(ofOldObject)
}

// readLabel returns the values of a label. A missing label is a failure, whether there are other labels or not.
func (r *conditionReader) readLabel(p path) (term, bool) {
	if !r.hasMetadata(p.of) {
		return failing()
	}
	from := r.sourceOf(p.of)
	if r.endpoint.isNamespace() && (from == stored || p.key == corev1.LabelMetadataName) {
		return nil, false // they are those of the namespace
	}
	d := r.label(from, p.key)
	known := r.Space.values[p.key]
	return r.values(d, func(v int) value {
		switch {
		case v == 0:
			return value{sort: absent}
		case v <= len(known):
			return value{is: known[v-1]}
		}
		return value{sort: another}
	}), true
}

// hasLabels returns where an object has any labels: one that a hook mentions, or another.
func (r *conditionReader) hasLabels(object string) (diagram.Set, bool) {
	from := r.sourceOf(object)
	if r.endpoint.isNamespace() {
		return diagram.None, false
	}
	d := r.dimension(dimension{is: otherLabels, of: from, count: 2})
	has := r.diagrams.Among(d.variable, 1)
	for _, key := range sortedKeys(r.Space.values) {
		has = r.diagrams.Or(has, r.diagrams.Not(r.diagrams.Among(r.label(from, key).variable, 0)))
	}
	return has, true
}
