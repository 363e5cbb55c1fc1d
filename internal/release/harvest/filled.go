package harvest

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/admsim/admsim/internal/release/upstream"
)

// Filled returns calls with variants of the objects with which Kubernetes tests its encodings. In these objects, which
// are published with k8s.io/api for every version of every kind, each field has a value. Most values are invalid, so the
// server's answers name nearly every rule that it has.
//
// Each field is taken away from an object, is left alone in it, and gets other values. An update changes or adds it.
func Filled(ctx context.Context, version string) ([]Call, error) {
	release, err := upstream.Download(ctx, version)
	if err != nil {
		return nil, err
	}
	folder, err := release.File(ctx, "api", "testdata/HEAD")
	if err != nil {
		return nil, err
	}
	files, err := filepath.Glob(filepath.Join(folder, "*.json"))
	if err != nil {
		return nil, err
	}
	var calls []Call
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		if whole := decode(text); whole != nil { // up to 1.22, that of EphemeralContainers is no JSON
			calls = append(calls, variants(whole)...)
		}
	}
	return calls, nil
}

// What is deep inside an object is only varied alone. This, and the simple pods in the templates of workloads, keep the
// number of cases small; pods have all fields in pods and in templates of their own.
const (
	deepTaken   = 3 // the longest path of a field that is taken away from the whole object, or is added to it
	deepChanged = 2 // the longest path of a field that gets another value in the whole object
)

// simplePods is a template that takes the place of a filled one.
var simplePods = map[string]any{
	"metadata": map[string]any{"labels": map[string]any{"a": "b"}},
	"spec":     map[string]any{"containers": []any{map[string]any{"name": "c", "image": "i"}}},
}

func variants(whole map[string]any) []Call {
	v := newVaried(whole)
	v.add("as it is", "", whole, nil)
	base := maps.Clone(whole)
	base["metadata"] = map[string]any{"name": "name"}
	for at := range paths(whole["metadata"], nil) {
		v.add("only "+join("metadata", at), "", with(base, "metadata", only(whole["metadata"], at)), nil)
	}
	v.add("all fields", "", base, nil)
	v.add("all fields, in lower case", "", lowered(base), nil)
	if spec, ok := base["spec"]; ok {
		base["spec"] = simplified(spec)
	}
	lower := lowered(base)
	for at := range paths(base, nil) {
		if slices.Contains([]string{"metadata", "apiVersion", "kind"}, at[0]) {
			continue
		}
		title, value := strings.Join(at, "."), valueAt(base, at)
		v.add("only "+title, "", only(lower, at), nil)
		for _, value := range others(value) {
			v.add(fmt.Sprintf("only %s = %.20v", title, value), "", only(set(lower, at, value), at), nil)
		}
		if len(at) > deepTaken {
			continue
		}
		v.add("without "+title, "", without(base, at), nil)
		for _, subresource := range append(subresources, "") {
			if subresource != "" && len(at) > deepChanged && at[0] != "status" {
				continue
			}
			v.add("removing "+title, subresource, without(base, at), base)
			v.add("adding "+title, subresource, base, without(base, at))
			if len(at) > deepChanged {
				continue
			}
			for _, value := range others(value) {
				v.add(fmt.Sprintf("%s = %.20v", title, value), subresource, set(base, at, value), base)
			}
		}
	}
	return v.calls
}

// simplified returns the spec of a workload with simple pods in its template.
func simplified(spec any) any {
	m, ok := spec.(map[string]any)
	if !ok {
		return spec
	}
	if m["template"] != nil {
		return with(m, "template", simplePods)
	}
	if job, ok := m["jobTemplate"].(map[string]any); ok {
		return with(m, "jobTemplate", with(job, "spec", simplified(job["spec"])))
	}
	return spec
}

// subresources lists those with the kind of the object itself. Not every resource has all of them.
var subresources = []string{"status", "approval", "finalize", "ephemeralcontainers", "resize"}

// varied collects the variants of an object.
type varied struct {
	group, version, kind string
	calls                []Call
}

func newVaried(object map[string]any) *varied {
	apiVersion, _ := object["apiVersion"].(string)
	kind, _ := object["kind"].(string)
	group, version, found := strings.Cut(apiVersion, "/")
	if !found {
		group, version = "", apiVersion
	}
	return &varied{group: group, version: version, kind: kind}
}

// add adds a variant. The stored objects have no empty lists and maps, as the server stores none.
func (v *varied) add(title, subresource string, object, old any) {
	o := Object{Group: v.group, Version: v.version, Kind: v.kind, Object: encode(object)}
	if old != nil {
		o.Old = encode(withoutEmpty(old))
	}
	v.calls = append(v.calls, Call{Function: "filled object, " + title, Subresource: subresource, Objects: []Object{o}})
}

// paths yields the paths of all fields and items below a value.
func paths(v any, above []string) func(yield func([]string) bool) {
	return func(yield func([]string) bool) {
		each := func(name string, child any) bool {
			at := append(slices.Clone(above), name)
			if !yield(at) {
				return false
			}
			for below := range paths(child, at) {
				if !yield(below) {
					return false
				}
			}
			return true
		}
		switch v := v.(type) {
		case map[string]any:
			for _, name := range slices.Sorted(maps.Keys(v)) {
				if !each(name, v[name]) {
					return
				}
			}
		case []any:
			for i, item := range v {
				if !each(strconv.Itoa(i), item) {
					return
				}
			}
		}
	}
}

// with returns a copy of an object with another value of a field.
func with(object map[string]any, name string, value any) map[string]any {
	object = maps.Clone(object)
	object[name] = value
	return object
}

// change returns a copy of a value in which the value at a path is what change makes of it, or is missing.
func change(v any, at []string, to func(any) (any, bool)) any {
	switch v := v.(type) {
	case map[string]any:
		copied := maps.Clone(v)
		var value any
		kept := true
		if len(at) == 1 {
			value, kept = to(v[at[0]])
		} else {
			value = change(v[at[0]], at[1:], to)
		}
		delete(copied, at[0])
		if kept {
			copied[at[0]] = value
		}
		return copied
	case []any:
		i, _ := strconv.Atoi(at[0]) // it comes from paths
		copied := slices.Clone(v)
		if len(at) > 1 {
			copied[i] = change(v[i], at[1:], to)
			return copied
		}
		value, kept := to(v[i])
		if !kept {
			return slices.Delete(copied, i, i+1)
		}
		copied[i] = value
		return copied
	}
	return v
}

func without(v any, at []string) any {
	return change(v, at, func(any) (any, bool) { return nil, false })
}

func set(v any, at []string, value any) any {
	return change(v, at, func(any) (any, bool) { return value, true })
}

func valueAt(v any, at []string) (found any) {
	change(v, at, func(value any) (any, bool) { found = value; return value, true })
	return found
}

// only returns an object that has nothing but the value at a path, beside what identifies it.
func only(v any, at []string) any {
	if len(at) == 0 {
		return v
	}
	switch v := v.(type) {
	case map[string]any:
		kept := map[string]any{at[0]: only(v[at[0]], at[1:])}
		for _, name := range []string{"apiVersion", "kind", "metadata", "name"} {
			if value, ok := v[name]; ok && at[0] != name {
				kept[name] = value
			}
		}
		return kept
	case []any:
		i, _ := strconv.Atoi(at[0])
		return []any{only(v[i], at[1:])}
	}
	return v
}

// withoutEmpty returns a value without the empty lists and maps in it.
func withoutEmpty(v any) any {
	switch v := v.(type) {
	case map[string]any:
		all := map[string]any{}
		for name, child := range v {
			child = withoutEmpty(child)
			if m, ok := child.(map[string]any); ok && len(m) == 0 {
				continue
			}
			if list, ok := child.([]any); ok && len(list) == 0 {
				continue
			}
			all[name] = child
		}
		return all
	case []any:
		all := make([]any, len(v))
		for i, child := range v {
			all[i] = withoutEmpty(child)
		}
		return all
	}
	return v
}

// lowered returns a value with all texts in lower case, which makes many of them valid.
func lowered(v any) any {
	switch v := v.(type) {
	case map[string]any:
		all := map[string]any{}
		for name, child := range v {
			all[name] = lowered(child)
		}
		if kind, ok := v["kind"]; ok && v["apiVersion"] != nil && v["metadata"] != nil {
			all["kind"], all["apiVersion"] = kind, v["apiVersion"]
		}
		return all
	case []any:
		all := make([]any, len(v))
		for i, child := range v {
			all[i] = lowered(child)
		}
		return all
	case string:
		return strings.ToLower(v)
	}
	return v
}

// others returns other values of the type of a value.
func others(v any) []any {
	switch v := v.(type) {
	case string:
		return []any{"", "a/b", strings.Repeat("a", 300)}
	case json.Number:
		return []any{json.Number("0"), json.Number("-1"), json.Number("2147483647")}
	case bool:
		return []any{!v}
	case []any:
		return []any{[]any{}}
	case map[string]any:
		return []any{map[string]any{}}
	}
	return nil
}

func join(name string, below []string) string {
	return strings.Join(append([]string{name}, below...), ".")
}
