package openapi

import (
	"bytes"
	"compress/gzip"
	_ "embed"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"sync"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/internal/moved"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// publishedText is what Kubernetes publishes about its newest release. It is written by internal/cmd/openapi.
//
//go:embed published.json.gz
var publishedText []byte

// formerText lists the fields that a release has and the newest one does not, as the release's documents have them.
//
//go:embed former.json
var formerText []byte

// A node is a JSON object.
type node = map[string]any

// published holds the schemas of all built-in kinds by name, the parameters of queries, those of patches, and those that
// only some subresources have, such as pods/exec. Returned lists the schemas of the objects that the answer to their
// deletion contains.
type published struct {
	Schemas    node             `json:"schemas"`
	Parameters node             `json:"parameters"`
	Patch      node             `json:"patch"`
	Special    map[string][]any `json:"special"`
	Returned   []string         `json:"returned"`
}

func unpack() published {
	var p published
	z, err := gzip.NewReader(bytes.NewReader(publishedText))
	if err == nil {
		err = json.NewDecoder(z).Decode(&p)
	}
	if err != nil {
		panic("openapi: published.json.gz: " + err.Error())
	}
	return p
}

// former holds the schemas of former fields by the names of their types, and schemas to which only these refer.
type former struct {
	Fields  map[string]node `json:"fields"`
	Schemas node            `json:"schemas"`
}

func readFormer() (f former) {
	if err := json.Unmarshal(formerText, &f); err != nil {
		panic("openapi: former.json: " + err.Error())
	}
	return f
}

const (
	kindsOf      = "x-kubernetes-group-version-kind"
	schemaPrefix = "#/components/schemas/"
	metaPrefix   = "io.k8s.apimachinery.pkg.apis.meta.v1."
)

// Schemas holds the schemas of the built-in kinds of a release. They take a while to build, so they are built when they
// are first needed, and servers of one release share them.
type Schemas struct {
	release *kubeversion.Release
	made    func() *schemas
}

// NewSchemas returns the schemas of a release.
func NewSchemas(r *kubeversion.Release) *Schemas {
	return &Schemas{r, sync.OnceValue(func() *schemas { return schemasOf(r) })}
}

// schemas holds the schemas of the kinds of one release.
type schemas struct {
	published
	names map[schema.GroupVersionKind]string
}

// schemasOf returns the published schemas with the fields that the release has.
func schemasOf(r *kubeversion.Release) *schemas {
	s := &schemas{unpack(), map[schema.GroupVersionKind]string{}}
	for _, name := range slices.Sorted(maps.Keys(s.Schemas)) {
		for _, kind := range kindsIn(s.Schemas[name]) {
			s.names[kind] = name
		}
	}
	for kind, name := range s.names {
		s.format().Reshape(s.nodeNamed(name), moved.New(r.Moved(kind.GroupKind())...))
	}
	for name := range s.Schemas {
		properties, _ := s.nodeNamed(name)["properties"].(node)
		for _, field := range r.AbsentFields(name) {
			delete(properties, field)
		}
	}
	for _, kind := range kubeversion.FieldKinds() {
		for _, f := range kubeversion.Fields(kind) {
			if f.IsNew() && !r.Knows(f) {
				s.prune(kind, f.Path)
			}
		}
	}
	s.addFormer(readFormer(), r)
	return s
}

// addFormer adds the fields that the release has and the newest one does not.
func (s *schemas) addFormer(f former, r *kubeversion.Release) {
	for name, fields := range f.Fields {
		properties, _ := s.nodeNamed(name)["properties"].(node)
		for field, of := range fields {
			if properties != nil && r.HasFormer(name, field) {
				properties[field] = of
				s.closure(of, s.Schemas, f.Schemas)
			}
		}
	}
}

// kindsIn returns the kinds that a schema describes.
func kindsIn(v any) (kinds []schema.GroupVersionKind) {
	object, _ := v.(node)
	list, _ := object[kindsOf].([]any)
	for _, item := range list {
		k, _ := item.(node)
		group, _ := k["group"].(string)
		version, _ := k["version"].(string)
		kind, _ := k["kind"].(string)
		kinds = append(kinds, schema.GroupVersionKind{Group: group, Version: version, Kind: kind})
	}
	return kinds
}

// prune removes a field such as spec.containers[].name from all versions of a kind.
func (s *schemas) prune(kind schema.GroupKind, path string) {
	if strings.ContainsAny(path, "/:") {
		return // a key of a map
	}
	for known, name := range s.names {
		if known.GroupKind() != kind {
			continue
		}
		at, _ := s.Schemas[name].(node)
		fields := strings.Split(path, ".")
		for i, field := range fields {
			plain := strings.TrimSuffix(field, "[]")
			properties, _ := at["properties"].(node)
			if i == len(fields)-1 {
				delete(properties, plain)
				break
			}
			next, _ := properties[plain].(node)
			if items, ok := next["items"].(node); ok && plain != field {
				next = items
			}
			at = s.follow(next)
		}
	}
}

// format defines how fields are moved in these schemas.
func (s *schemas) format() moved.Format[node] {
	return moved.Format[node]{
		Field: func(of node, name string) (node, bool) {
			properties, _ := s.follow(of)["properties"].(node)
			field, ok := properties[name].(node)
			return field, ok
		},
		Element: func(of node) (element node, ok bool) {
			of = s.follow(of)
			if element, ok = of["items"].(node); !ok {
				element, ok = of["additionalProperties"].(node)
			}
			return element, ok
		},
		Object: func(fields map[string]node) node {
			properties := node{}
			for name, field := range fields {
				properties[name] = field
			}
			return node{"type": "object", "properties": properties}
		},
		Map: func(element node) node { return node{"type": "object", "additionalProperties": element} },
		Replace: func(of node, without []string, name string, field node) {
			properties, _ := s.follow(of)["properties"].(node)
			for _, other := range without {
				delete(properties, other)
			}
			properties[name] = field
		},
	}
}

func (s *schemas) nodeNamed(name string) node {
	n, _ := s.Schemas[name].(node)
	return n
}

// follow returns the schema that another one refers to, or the schema itself.
func (s *schemas) follow(n node) node {
	if all, ok := n["allOf"].([]any); ok && len(all) == 1 {
		n, _ = all[0].(node)
	}
	if ref, ok := n["$ref"].(string); ok {
		n, _ = s.Schemas[strings.TrimPrefix(ref, schemaPrefix)].(node)
	}
	return n
}

// nameOf returns the name of a kind's schema. Kinds that are no longer published have a schema that says nothing about
// their fields.
func (s *schemas) nameOf(kind schema.GroupVersionKind) (name string, known bool) {
	name, known = s.names[kind]
	if !known {
		name = customName(kind)
	}
	return name, known
}

// customName returns the name of the schema of a kind without a Go type of its own:
// kubernetes/apiextensions-apiserver:pkg/controller/openapi/builder/builder.go.
func customName(kind schema.GroupVersionKind) string {
	parts := strings.Split(kind.Group, ".")
	slices.Reverse(parts)
	return strings.Join(append(parts, kind.Version, kind.Kind), ".")
}

// closure adds the schemas that a value refers to, directly or indirectly.
func (s *schemas) closure(v any, into node, more node) {
	switch v := v.(type) {
	case []any:
		for _, item := range v {
			s.closure(item, into, more)
		}
	case node:
		if ref, ok := v["$ref"].(string); ok {
			name := strings.TrimPrefix(ref, schemaPrefix)
			if _, known := into[name]; !known {
				found, ok := more[name]
				if !ok {
					found, ok = s.Schemas[name]
				}
				if ok {
					into[name] = found
					s.closure(found, into, more)
				}
			}
		}
		for _, member := range v {
			s.closure(member, into, more)
		}
	}
}

func ref(name string) node { return node{"$ref": schemaPrefix + name} }
