package kubeversion

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// A table lists resources, one per line, under the group and version that serves them:
//
//	autoscaling/v1
//	  horizontalpodautoscalers  HorizontalPodAutoscaler  namespaced  all  status  short=hpa  hub=autoscaling/v2
//
// A group and version followed by the word off is only served if --runtime-config switches it on. After the resource,
// its kind and its scope come its verbs: all, or all without some (all-deletecollection), or a list (get,list), or
// none. Then, in any order, the names of its subresources and
//
//	short=cm,…          its short names
//	hub=GROUP/VERSION   the version that is stored, where it is another
//	of=VERSION.KIND     the kind that is stored, where it is another
//	prefix=PATH         the storage prefix, where it is not the resource's name
//	gate=NAME           the feature gate without which it is not served
//	alone               served only where --runtime-config names it, not its version
//
// The kind of a subresource's body is in [bodies] below, or follows its name: scale=apps/v1beta1.Scale. A subresource
// that is only served with a feature gate has the gate in brackets: resize[InPlacePodVerticalScaling].
type table string

var standardVerbs = []string{"create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"}

// bodies lists the kind of the body of each subresource, and its verbs (W-326, SR-01). An empty kind is that of the
// parent.
var bodies = map[string]struct{ kind, verbs string }{
	"status":   {"", "get,patch,update"},
	"scale":    {"autoscaling/v1.Scale", "get,patch,update"},
	"approval": {"", "get,patch,update"},

	"deployments/rollback":     {"", "create"}, // whose kind is always written
	"namespaces/finalize":      {"", "update"},
	"nodes/proxy":              {"v1.NodeProxyOptions", "connect"},
	"pods/attach":              {"v1.PodAttachOptions", "connect"},
	"pods/binding":             {"v1.Binding", "create"},
	"pods/ephemeralcontainers": {"", "get,patch,update"},
	"pods/eviction":            {"policy/v1.Eviction", "create"},
	"pods/exec":                {"v1.PodExecOptions", "connect"},
	"pods/log":                 {"", "get"},
	"pods/portforward":         {"v1.PodPortForwardOptions", "connect"},
	"pods/proxy":               {"v1.PodProxyOptions", "connect"},
	"pods/resize":              {"", "get,patch,update"},
	"serviceaccounts/token":    {"authentication.k8s.io/v1.TokenRequest", "create"},
	"services/proxy":           {"v1.ServiceProxyOptions", "connect"},
}

// parse parses the table. It panics on mistakes, which are bugs of this package.
func (t table) parse() []Resource {
	var rows []Resource
	var gv schema.GroupVersion
	var off bool
	for line := range strings.Lines(string(t)) {
		words := strings.Fields(line)
		switch {
		case len(words) == 0 || strings.HasPrefix(words[0], "#"):
		case line[0] != ' ' && line[0] != '\t':
			gv = mustGroupVersion(words[0])
			off = len(words) == 2 && words[1] == "off"
		case len(words) < 4:
			panic(fmt.Sprintf("kubeversion: a resource needs a kind, a scope and verbs: %q", line))
		default:
			rows = append(rows, parseRow(gv, off, words))
		}
	}
	return rows
}

func parseRow(gv schema.GroupVersion, off bool, words []string) Resource {
	r := Resource{
		Group: gv.Group, Version: gv.Version, Resource: words[0],
		Kind: words[1], Singular: strings.ToLower(words[1]),
		Namespaced:    scope(words[2]),
		Verbs:         verbs(words[3]),
		Storage:       gv.WithKind(words[1]),
		StoragePrefix: words[0],
		off:           off,
	}
	for _, word := range words[4:] {
		name, value, _ := strings.Cut(word, "=")
		switch name {
		case "short":
			r.ShortNames = strings.Split(value, ",")
		case "hub":
			r.Storage = mustGroupVersion(value).WithKind(r.Kind)
		case "of":
			r.Storage = kindOf(value)
		case "prefix":
			r.StoragePrefix = value
		case "gate":
			r.gate = value
		case "alone":
			r.byNameOnly = true
		default:
			if r.Subresources == nil {
				r.Subresources = map[string]Subresource{}
			}
			name, gate, _ := strings.Cut(strings.TrimSuffix(name, "]"), "[")
			r.Subresources[name] = subresource(r, name, gate, value)
		}
	}
	return r
}

func scope(word string) (namespaced bool) {
	switch word {
	case "namespaced":
		return true
	case "cluster":
		return false
	}
	panic("kubeversion: no such scope: " + word)
}

func verbs(word string) []string {
	less, ok := strings.CutPrefix(word, "all")
	switch {
	case word == "none":
		return nil
	case !ok:
		return strings.Split(word, ",")
	case less == "":
		return standardVerbs // shared by most resources
	}
	return slices.DeleteFunc(slices.Clone(standardVerbs), func(verb string) bool {
		return slices.Contains(strings.Split(less, "-"), verb)
	})
}

func subresource(parent Resource, name, gate, kind string) Subresource {
	body, ok := bodies[parent.Resource+"/"+name]
	if !ok {
		body, ok = bodies[name]
	}
	if !ok {
		panic(fmt.Sprintf("kubeversion: no body is known for %s/%s", parent.Resource, name))
	}
	if kind == "" {
		kind = body.kind
	}
	s := Subresource{Name: name, gate: gate, Kind: parent.GroupVersionKind(), Verbs: verbs(body.verbs)}
	if kind != "" {
		s.Kind = kindOf(kind)
	}
	return s
}

// kindOf reads GROUP/VERSION.KIND. The group may contain dots, the kind does not.
func kindOf(word string) schema.GroupVersionKind {
	dot := strings.LastIndex(word, ".")
	return mustGroupVersion(word[:dot]).WithKind(word[dot+1:])
}

func mustGroupVersion(s string) schema.GroupVersion {
	gv, err := schema.ParseGroupVersion(s)
	if err != nil {
		panic("kubeversion: " + err.Error())
	}
	return gv
}
