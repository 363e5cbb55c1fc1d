// Package openapi writes the documents in which an API server describes its objects, for kubectl explain, client-side
// checks and generated clients: one document for each version of a group, each group and each service beside the API
// ([Documents.V3]), listed in [Documents.Index], and one in an older format for all of them ([Documents.V2]).
//
// The schemas of built-in kinds are those that Kubernetes publishes, without the fields that the release does not have.
// The schemas of custom resources come from their definitions. The paths are derived from the served resources.
package openapi

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/internal/memo"
	"github.com/admsim/admsim/pkg/discovery"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// Documents describe the resources of one cluster at one time. They do not change, and are built when they are first
// needed.
type Documents struct {
	release *kubeversion.Release
	schemas func() *schemas
	served  map[schema.GroupVersion][]discovery.Resource
	order   []schema.GroupVersion
	beside  func() map[string]func(*describer)
	v3      memo.Map // name → func() ([]byte, error)
	v2      func() ([]byte, error)

	v2Protobuf func() ([]byte, error)
}

// New returns the documents of a server with the release of s that serves these group versions.
func New(s *Schemas, order []schema.GroupVersion, served func(schema.GroupVersion) []discovery.Resource) *Documents {
	d := &Documents{release: s.release, schemas: s.made, order: order, served: map[schema.GroupVersion][]discovery.Resource{}}
	for _, gv := range order {
		d.served[gv] = served(gv)
	}
	d.beside = sync.OnceValue(d.besideVersions)
	d.v2, d.v2Protobuf = sync.OnceValues(d.makeV2), sync.OnceValues(d.makeV2Protobuf)
	return d
}

// Index lists the documents, with digests of their sources.
func (d *Documents) Index() ([]byte, error) {
	paths := map[string]any{}
	for _, name := range d.names() {
		digest, err := d.digest(name)
		if err != nil {
			return nil, err
		}
		paths[name] = map[string]any{"serverRelativeURL": "/openapi/v3/" + name + "?hash=" + digest}
	}
	return json.Marshal(map[string]any{"paths": paths})
}

// digest identifies a document without building it. For built-in resources it depends on the release and on the served
// resources, for custom resources on their definitions.
func (d *Documents) digest(name string) (string, error) {
	sum := sha256.New()
	fmt.Fprintln(sum, d.release.Version, name)
	gv, _ := groupVersionIn(name)
	for _, r := range d.served[gv] {
		fmt.Fprintln(sum, r.Resource)
		if r.CRD != nil {
			if err := json.NewEncoder(sum).Encode(r.CRD.Spec); err != nil {
				return "", err
			}
		}
	}
	return fmt.Sprintf("%X", sum.Sum(nil)), nil
}

// prefix returns the prefix of the paths of a group version.
func prefix(gv schema.GroupVersion) string {
	if gv.Group == "" {
		return "/api/" + gv.Version
	}
	return "/apis/" + gv.Group + "/" + gv.Version
}

// groupVersionIn returns the group version that a document is about, if it is about one.
func groupVersionIn(name string) (gv schema.GroupVersion, ok bool) {
	switch parts := strings.Split(name, "/"); {
	case len(parts) == 2 && parts[0] == "api":
		return schema.GroupVersion{Version: parts[1]}, true
	case len(parts) == 3 && parts[0] == "apis":
		return schema.GroupVersion{Group: parts[1], Version: parts[2]}, true
	}
	return gv, false
}

// V3 returns the document with a name in the index, such as apis/apps/v1; ok is false if there is none.
func (d *Documents) V3(name string) (document []byte, ok bool, err error) {
	if !slices.Contains(d.names(), name) {
		return nil, false, nil
	}
	made, found := d.v3.Load(name)
	if !found {
		made, _ = d.v3.LoadOrStore(name, sync.OnceValues(func() ([]byte, error) { return d.makeV3(name) }))
	}
	document, err = made.(func() ([]byte, error))()
	return document, true, err
}

func (d *Documents) makeV3(name string) ([]byte, error) {
	paths, used, err := d.parts(d.schemas(), name)
	if err != nil {
		return nil, err
	}
	components := node{"securitySchemes": node{"BearerToken": bearerToken()}}
	if len(used) > 0 {
		components["schemas"] = used
	}
	return json.Marshal(node{
		"openapi":    "3.0.0",
		"info":       node{"title": "Kubernetes", "version": d.version()},
		"paths":      paths,
		"components": components,
	})
}

// parts returns the paths in a document, and the schemas that they use.
func (d *Documents) parts(s *schemas, name string) (paths, used node, err error) {
	p := &describer{schemas: s, release: d.release, paths: node{}, own: node{}}
	if gv, ok := groupVersionIn(name); !ok {
		d.beside()[name](p)
	} else if err := p.groupVersion(gv, d.served[gv]); err != nil {
		return nil, nil, err
	}
	used = maps.Clone(p.own)
	s.closure(p.paths, used, p.own)
	for _, schema := range p.own {
		s.closure(schema, used, p.own)
	}
	return p.paths, used, nil
}

// version returns the version in documents.
func (d *Documents) version() string {
	if d.release.Has(kubeversion.MinorInDocuments) {
		return d.release.Version
	}
	return "v" + d.release.Version + ".0"
}

func bearerToken() node {
	return node{"description": "Bearer Token authentication", "in": "header", "name": "authorization", "type": "apiKey"}
}

// customSchemas returns the schema of a custom resource and the schema of its list.
func customSchemas(r discovery.Resource) (node, error) {
	kind, list := r.Kind, r.Kind
	list.Kind = r.CRD.Spec.Names.ListKind
	s, err := customSchema(r)
	if err != nil {
		return nil, err
	}
	return node{
		customName(kind): s,
		customName(list): node{
			"type": "object", "description": list.Kind + " is a list of " + r.Kind.Kind,
			"required": []any{"items"},
			"properties": node{
				"apiVersion": node{"type": "string"}, "kind": node{"type": "string"},
				"metadata": node{"allOf": []any{ref(metaPrefix + "ListMeta")}},
				"items":    node{"type": "array", "items": ref(customName(kind)), "description": "List of " + r.Resource + ". More info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md"},
			},
			kindsOf: []any{gvkNode(list)},
		},
	}, nil
}

// customSchema returns the schema in a definition for the version of r, with the fields that all objects have.
func customSchema(r discovery.Resource) (node, error) {
	s := node{"type": "object", "x-kubernetes-preserve-unknown-fields": true}
	if model := schemaIn(r.CRD, r.Version); model != nil {
		text, err := json.Marshal(model)
		if err != nil {
			return nil, err
		}
		s = node{}
		if err := json.Unmarshal(text, &s); err != nil {
			return nil, err
		}
	}
	properties, _ := s["properties"].(node)
	if properties == nil {
		properties = node{}
	}
	described := func(name, what string) {
		if given, ok := properties[name].(node); !ok || given["description"] == nil {
			properties[name] = node{"type": "string", "description": what}
		}
	}
	described("apiVersion", "APIVersion defines the versioned schema of this representation of an object. Servers should convert recognized schemas to the latest internal value, and may reject unrecognized values. More info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#resources")
	described("kind", "Kind is a string value representing the REST resource this object represents. Servers may infer this from the endpoint the client submits requests to. Cannot be updated. In CamelCase. More info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#types-kinds")
	properties["metadata"] = node{
		"allOf":       []any{ref(metaPrefix + "ObjectMeta")},
		"description": "Standard object's metadata. More info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#metadata",
	}
	s["properties"] = properties
	s[kindsOf] = []any{gvkNode(r.Kind)}
	return s, nil
}

func schemaIn(crd *apiextensionsv1.CustomResourceDefinition, version string) *apiextensionsv1.JSONSchemaProps {
	for _, v := range crd.Spec.Versions {
		if v.Name == version && v.Schema != nil {
			return v.Schema.OpenAPIV3Schema
		}
	}
	return nil
}

func gvkNode(k schema.GroupVersionKind) node {
	return node{"group": k.Group, "version": k.Version, "kind": k.Kind}
}
