// Package openapi writes the documents in which an API server describes its objects, for kubectl explain, client-side
// checks and generated clients: one document for each version of a group ([Documents.V3]), listed in [Documents.Index],
// and one in an older format for all of them ([Documents.V2]).
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
	v3      memo.Map // schema.GroupVersion → func() ([]byte, error)
	v2      func() ([]byte, error)

	v2Protobuf func() ([]byte, error)
}

// New returns the documents of a server with the release of s that serves these group versions.
func New(s *Schemas, order []schema.GroupVersion, served func(schema.GroupVersion) []discovery.Resource) *Documents {
	d := &Documents{release: s.release, schemas: s.made, order: order, served: map[schema.GroupVersion][]discovery.Resource{}}
	for _, gv := range order {
		d.served[gv] = served(gv)
	}
	d.v2, d.v2Protobuf = sync.OnceValues(d.makeV2), sync.OnceValues(d.makeV2Protobuf)
	return d
}

// Index lists the documents, with digests of their sources.
func (d *Documents) Index() ([]byte, error) {
	paths := map[string]any{}
	for _, gv := range d.order {
		digest, err := d.digest(gv)
		if err != nil {
			return nil, err
		}
		path := prefix(gv)
		paths[strings.TrimPrefix(path, "/")] = map[string]any{"serverRelativeURL": "/openapi/v3" + path + "?hash=" + digest}
	}
	return json.Marshal(map[string]any{"paths": paths})
}

// digest identifies a document without building it. For built-in resources it depends on the release and on the served
// resources, for custom resources on their definitions.
func (d *Documents) digest(gv schema.GroupVersion) (string, error) {
	sum := sha256.New()
	fmt.Fprintln(sum, d.release.Version, gv)
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

// V3 returns the document of a group version; ok is false if the group version is not served.
func (d *Documents) V3(gv schema.GroupVersion) (document []byte, ok bool, err error) {
	if len(d.served[gv]) == 0 {
		return nil, false, nil
	}
	made, found := d.v3.Load(gv)
	if !found {
		made, _ = d.v3.LoadOrStore(gv, sync.OnceValues(func() ([]byte, error) { return d.makeV3(gv) }))
	}
	document, err = made.(func() ([]byte, error))()
	return document, true, err
}

func (d *Documents) makeV3(gv schema.GroupVersion) ([]byte, error) {
	s := d.schemas()
	paths, own, err := d.paths(s, gv)
	if err != nil {
		return nil, err
	}
	used := maps.Clone(own)
	s.closure(paths, used, own)
	for _, name := range slices.Collect(maps.Keys(own)) {
		s.closure(own[name], used, own)
	}
	return json.Marshal(node{
		"openapi":    "3.0.0",
		"info":       node{"title": "Kubernetes", "version": "v" + d.release.Version + ".0"},
		"paths":      paths,
		"components": node{"schemas": used, "securitySchemes": node{"BearerToken": bearerToken()}},
	})
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
