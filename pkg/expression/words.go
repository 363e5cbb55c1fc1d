package expression

import (
	"maps"
	"regexp"
	"slices"

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

func addFields(names map[string]bool, t *apiservercel.DeclType) {
	for name, f := range t.Fields {
		names[name] = true
		addFields(names, f.Type)
	}
	if t.ElemType != nil {
		addFields(names, t.ElemType)
	}
}
