package space

import (
	"regexp"
	"strings"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/internal/builtin"
	"github.com/admsim/admsim/internal/space/diagram"
	"github.com/admsim/admsim/internal/space/syntax"
)

// Types of expressions, as [certain] names them.
const (
	aString = "string"
	aBool   = "bool"
	aList   = "list" // of strings
)

// certain has the functions that never fail if their arguments do not, and the types of their results. Exceeding a
// budget for CEL does not count as a failure here: names and groups are too short for it.
var certain = map[string]string{
	"startsWith(string, string)": aBool, "endsWith(string, string)": aBool, "contains(string, string)": aBool, "matches(string, string)": aBool,
	"lowerAscii(string)": aString, "upperAscii(string)": aString, "trim(string)": aString, "replace(string, string, string)": aString,
	"split(string, string)": aList, "findAll(string, string)": aList, "find(string, string)": aString, "join(list)": aString, "join(list, string)": aString,
	"indexOf(string, string)": "int", "lastIndexOf(string, string)": "int", "size(string)": "int", "size(list)": "int",
	syntax.In + "(string, list)": aBool,
	"_+_(string, string)":        aString, "_+_(list, list)": aList,
	"_<_(int, int)": aBool, "_<=_(int, int)": aBool, "_>_(int, int)": aBool, "_>=_(int, int)": aBool,
	"_<_(string, string)": aBool, "_<=_(string, string)": aBool, "_>_(string, string)": aBool, "_>=_(string, string)": aBool,

	// Nor do questions to an authorizer: its error is part of its decision.
	"group(authorizer, string)": "group", "resource(group, string)": "resource", "subresource(resource, string)": "resource", "namespace(resource, string)": "resource",
	"name(resource, string)": "resource", "fieldSelector(resource, string)": "resource", "labelSelector(resource, string)": "resource", "path(authorizer, string)": "path",
	"check(resource, string)": "decision", "check(path, string)": "decision", "allowed(decision)": aBool, "errored(decision)": aBool, "reason(decision)": aString,
}

// literals has the functions of [certain] whose second argument must be a literal, and which literals they accept.
var literals = map[string]func(string) bool{
	"matches":  isPattern,
	"find":     isPattern,
	"findAll":  isPattern,
	"resource": isNoBlank,
	"path":     isNoBlank,
}

func isPattern(text string) bool {
	_, err := regexp.Compile(text)
	return err == nil
}

func isNoBlank(text string) bool { return strings.TrimSpace(text) != "" }

// A typed expression is an expression for which it is known where it fails.
type typed struct {
	is    string
	fails diagram.Set
}

// typed returns the type of an expression, and where it fails. ok is false if that is unknown. variables are those of
// the macros around it, by their types.
func (r *conditionReader) typed(x *syntax.Expr, variables map[string]string) (t typed, ok bool) {
	switch x.Kind {
	case syntax.Literal:
		switch x.Value.(type) {
		case string:
			t.is = aString
		case bool:
			t.is = aBool
		case int64:
			t.is = "int"
		}
		return t, t.is != ""
	case syntax.Has:
		return r.typedHas(x)
	case syntax.Macro:
		return r.typedMacro(x, variables)
	case syntax.Ident:
		t.is = variables[x.Name]
		if x.Name == "authorizer" {
			t.is = x.Name
		}
		return t, t.is != ""
	}
	if p, ok := pathOf(x); ok {
		switch p.text {
		case "request.userInfo.groups":
			return typed{is: aList}, true
		case "request.resource.group", "request.resource.version", "request.resource.resource":
			return typed{is: aString}, true
		}
	}
	if values, ok := r.term(x); ok {
		return r.typedTerm(values), true
	}
	switch r.field(x).(type) {
	case string:
		return typed{is: aString}, true
	case bool:
		return typed{is: aBool}, true
	case int64:
		return typed{is: "int"}, true
	}
	if x.Kind != syntax.Call && x.Kind != syntax.List {
		return t, false
	}
	types := make([]string, len(x.Args))
	for i, arg := range x.Args {
		one, ok := r.typed(arg, variables)
		if !ok {
			return t, false
		}
		types[i], t.fails = one.is, r.diagrams.Or(t.fails, one.fails)
	}
	t.is = typeOf(x, types)
	if lazy[x.Name] && t.fails != diagram.None {
		return t, false // whether it fails depends on the other arguments
	}
	return t, t.is != ""
}

// lazy has the operators that may succeed although one of their arguments fails.
var lazy = map[string]bool{syntax.And: true, syntax.Or: true, syntax.If: true}

// typeOf returns the type of a list or a call, given the types of its arguments. It is empty if it may fail although
// they do not.
func typeOf(x *syntax.Expr, types []string) string {
	same := func(types []string) string {
		for _, t := range types {
			if t != types[0] {
				return ""
			}
		}
		return types[0]
	}
	if x.Kind == syntax.List {
		if len(types) > 0 && same(types) == aString {
			return aList
		}
		return ""
	}
	switch x.Name {
	case syntax.Equals, syntax.NotEquals:
		if same(types) != "" {
			return aBool
		}
		return ""
	case syntax.And, syntax.Or, syntax.Not:
		if same(types) == aBool {
			return aBool
		}
		return ""
	case syntax.If:
		if types[0] == aBool {
			return same(types[1:])
		}
		return ""
	}
	if takes := literals[x.Name]; takes != nil {
		if len(x.Args) != 2 || x.Args[1].Kind != syntax.Literal || !takes(textOf(x.Args[1])) {
			return ""
		}
	}
	return certain[x.Name+"("+strings.Join(types, ", ")+")"]
}

func (r *conditionReader) typedTerm(values term) (t typed) {
	t.is = aString
	for _, one := range values {
		switch _, isBool := one.is.(bool); {
		case one.sort == absent:
			t.fails = r.diagrams.Or(t.fails, one.at)
		case isBool:
			t.is = aBool
		}
	}
	return t
}

// typedHas types the macro has(): it fails if the value that could have the field is itself a field that does not
// exist.
func (r *conditionReader) typedHas(x *syntax.Expr) (t typed, ok bool) {
	t.is = aBool
	p, ok := pathOf(x.Args[0])
	if !ok {
		return t, false
	}
	switch p.text {
	case "request", "request.userInfo", "object", "oldObject": // null has no fields, but that is not a failure
		return t, true
	case "object.metadata", "oldObject.metadata":
		t.fails = decided(!r.hasMetadata(strings.TrimSuffix(p.text, ".metadata")))
		return t, true
	}
	_, isObject := r.field(x.Args[0]).(map[string]any)
	return t, isObject
}

// field returns what every object of the kind has in a field: a map if the field is a struct of its Go type, or a value
// of the type that it always has. It returns nil if that is unknown.
func (r *conditionReader) field(x *syntax.Expr) any {
	switch x.Kind {
	case syntax.Ident:
		if (x.Name == "object" || x.Name == "oldObject") && r.exists(x.Name) {
			return r.zero(r.kind)
		}
	case syntax.Select:
		if fields, ok := r.field(x.Args[0]).(map[string]any); ok {
			return fields[x.Name]
		}
	}
	return nil
}

// zero returns a built-in object without any values, as conditions see it: it has the fields that are never left out,
// and those that the server always sets.
func (s *Space) zero(kind schema.GroupVersionKind) map[string]any {
	fields, known := s.zeros[kind]
	if !known {
		if o, ok := builtin.New(kind); ok {
			fields, _ = runtime.DefaultUnstructuredConverter.ToUnstructured(o)
			fields = with(fields, defaulted[kind])
		}
		s.zeros[kind] = fields
	}
	return fields
}

// typedMacro types a macro over a list. What it says about each element must not fail, since the elements are unknown.
func (r *conditionReader) typedMacro(x *syntax.Expr, variables map[string]string) (t typed, ok bool) {
	if len(x.Args) != 3 || x.Args[1].Kind != syntax.Ident || globals[x.Args[1].Name] {
		return t, false
	}
	list, ok := r.typed(x.Args[0], variables)
	if !ok || list.is != aList {
		return t, false
	}
	inner := map[string]string{x.Args[1].Name: aString}
	for name, is := range variables {
		if name != x.Args[1].Name {
			inner[name] = is
		}
	}
	each, ok := r.typed(x.Args[2], inner)
	if !ok || each.fails != diagram.None {
		return t, false
	}
	t.fails = list.fails
	switch x.Name + " " + each.is {
	case "exists bool", "all bool", "exists_one bool":
		t.is = aBool
	case "filter bool", "map string":
		t.is = aList
	}
	return t, t.is != ""
}

// globals are the names that conditions can read. A variable of the same name would hide them.
var globals = map[string]bool{"request": true, "object": true, "oldObject": true, "authorizer": true, "namespaceObject": true, "params": true, "variables": true}

// sameAs lists the paths that have the same meaning for the request as it was sent and for the version of it that a
// hook matched.
var sameAs = []string{"request.userInfo", "request.operation", "request.name", "request.namespace", "request.dryRun", "request.requestKind", "request.requestResource", "namespaceObject"}

// seen reports what a condition depends on besides the request as it was sent: the params of a binding, and the kind as
// which the hook matched it.
func seen(x *syntax.Expr) (params, kind bool) {
	if p, ok := pathOf(x); ok {
		for _, same := range sameAs {
			if p.text == same || strings.HasPrefix(p.text, same+".") {
				return false, false
			}
		}
	}
	switch x.Kind {
	case syntax.Other:
		return true, true
	case syntax.Ident:
		return x.Name == "params", globals[x.Name]
	}
	for _, part := range x.Args {
		p, k := seen(part)
		params, kind = params || p, kind || k
	}
	return params, kind
}
