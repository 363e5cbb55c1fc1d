package expression

import (
	"maps"
	"regexp"
	"slices"
	"strings"

	apiservercel "k8s.io/apiserver/pkg/cel"
)

var callableName = regexp.MustCompile(`^[A-Za-z][\w.]*$`) // operators have names, too

// functions returns the names of the functions and macros that expressions of the newest release may call, sorted, for
// suggestions.
func functions() []string {
	env, err := newest()
	if err != nil {
		return nil
	}
	names := slices.Collect(maps.Keys(env.Functions()))
	for _, m := range env.Macros() {
		names = append(names, m.Function())
	}
	names = slices.DeleteFunc(names, func(name string) bool { return !callableName.MatchString(name) })
	slices.Sort(names)
	return slices.Compact(names)
}

// Fields returns the names of all fields, at any depth, of the variables whose fields are known: request and
// namespaceObject. They are sorted.
func Fields() []string {
	names := map[string]bool{}
	for _, t := range []*apiservercel.DeclType{requestType(), namespaceType()} {
		addFields(names, t)
	}
	return slices.Sorted(maps.Keys(names))
}

// fieldsBeside returns the part of an expression, such as request.userInfo, of which message says that it does not have the
// unknown field, and the sorted fields that it has. They are empty if its type is not known.
func fieldsBeside(unknown, message string) (of string, known []string) {
	selected := regexp.MustCompile(`([A-Za-z]\w*(?:\.\w+)*)\.` + regexp.QuoteMeta(unknown) + `\b`)
	for _, found := range selected.FindAllStringSubmatch(message, -1) {
		t := declaredType(found[1])
		if t == nil || t.Fields[unknown] != nil {
			continue
		}
		if known := slices.Sorted(maps.Keys(t.Fields)); len(known) > 0 {
			return found[1], known
		}
	}
	return "", nil
}

// declaredType returns the type of a variable or of one of its fields, nil if it is not known.
func declaredType(path string) *apiservercel.DeclType {
	names := strings.Split(path, ".")
	t := map[string]*apiservercel.DeclType{requestVariable: requestType(), namespaceVariable: namespaceType()}[names[0]]
	for _, name := range names[1:] {
		if t == nil || t.Fields[name] == nil {
			return nil
		}
		t = t.Fields[name].Type
	}
	return t
}

func addFields(names map[string]bool, t *apiservercel.DeclType) {
	for name, f := range t.Fields {
		names[name] = true
		addFields(names, f.Type)
	}
	if t.ElemType != nil {
		addFields(names, t.ElemType)
	}
}
