package openapi

import (
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/pkg/discovery"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// The media types of bodies.
var (
	objectTypes = []string{"application/json", "application/yaml", "application/vnd.kubernetes.protobuf"}
	customTypes = []string{"application/json", "application/yaml"}
	patchTypes  = []string{"application/json-patch+json", "application/merge-patch+json", "application/strategic-merge-patch+json", "application/apply-patch+yaml"}
)

// The parameters of the verbs.
var (
	listParameters   = []string{"allowWatchBookmarks", "continue", "fieldSelector", "labelSelector", "limit", "resourceVersion", "resourceVersionMatch", "sendInitialEvents", "shardSelector", "timeoutSeconds", "watch"}
	writeParameters  = []string{"dryRun", "fieldManager", "fieldValidation"}
	patchParameters  = []string{"dryRun", "fieldManager", "fieldValidation", "force"}
	deleteParameters = []string{"dryRun", "gracePeriodSeconds", "orphanDependents", "propagationPolicy"}
)

// A describer builds the paths of one group version.
type describer struct {
	*schemas
	gv        schema.GroupVersion
	validates bool // the server has the parameter fieldValidation; kubectl validates objects itself otherwise
	shards    bool // the server has the parameter shardSelector
	paths     node
	own       node // schemas that are not among the published ones
}

// paths returns the paths of a group version, and the schemas that they need in addition to the published ones.
func (d *Documents) paths(s *schemas, gv schema.GroupVersion) (paths, own node, err error) {
	p := &describer{schemas: s, gv: gv, validates: d.release.Has(kubeversion.FieldValidation), shards: d.release.Has(kubeversion.ShardSelectors), paths: node{}, own: node{}}
	for _, r := range d.served[gv] {
		if r.CRD != nil {
			made, err := customSchemas(r)
			if err != nil {
				return nil, nil, err
			}
			maps.Copy(p.own, made)
		}
		p.resource(r)
	}
	if slices.ContainsFunc(d.served[gv], func(r discovery.Resource) bool { return r.CRD == nil }) {
		p.discovery()
	}
	return p.paths, p.own, nil
}

// discovery adds the path of the list of resources. Groups that only have custom resources do not describe theirs.
func (p *describer) discovery() {
	list := ref(metaPrefix + "APIResourceList")
	tag, version := p.titles()
	p.paths[prefix(p.gv)+"/"] = node{"get": node{
		"description": "get available resources",
		"operationId": "get" + tag + version + "APIResources",
		"tags":        p.tags(),
		"responses": node{
			"200": node{"description": "OK", "content": content(objectTypes, list)},
			"401": node{"description": "Unauthorized"},
		},
	}}
}

// titles returns the names of the group and the version in the names of operations.
func (p *describer) titles() (group, version string) {
	return strings.ReplaceAll(groupTitle(p.gv.Group), " ", ""), strings.ToUpper(p.gv.Version[:1]) + p.gv.Version[1:]
}

func (p *describer) tags() []any {
	group, _ := p.titles()
	return []any{strings.ToLower(group[:1]) + group[1:] + "_" + p.gv.Version}
}

// methods maps verbs to the HTTP method, and to the verb's name in documents.
var methods = map[string][2]string{
	"create": {"post", "post"}, "get": {"get", "get"}, "list": {"get", "list"}, "update": {"put", "put"}, "patch": {"patch", "patch"},
	"delete": {"delete", "delete"}, "deletecollection": {"delete", "deletecollection"},
}

func (p *describer) resource(r discovery.Resource) {
	base := prefix(p.gv)
	collection := base + "/" + r.Resource
	if r.Namespaced {
		if slices.Contains(r.Verbs, "list") {
			p.add(collection, nil, r, "list", r.Kind, "ForAllNamespaces")
		}
		collection = base + "/namespaces/{namespace}/" + r.Resource
	}
	for _, verb := range r.Verbs {
		switch verb {
		case "create", "list", "deletecollection":
			p.add(collection, namespaceOf(r), r, verb, r.Kind, "")
		case "get", "update", "patch", "delete":
			p.add(collection+"/{name}", append([]any{named("name", "name of the "+r.Kind.Kind)}, namespaceOf(r)...), r, verb, r.Kind, "")
		}
	}
	for _, name := range slices.Sorted(maps.Keys(r.Subresources)) {
		sub := r.Subresources[name]
		for _, verb := range sub.Verbs {
			if _, known := methods[verb]; !known {
				continue // it only connects
			}
			path := collection + "/{name}/" + name
			p.add(path, append([]any{named("name", "name of the "+sub.Kind.Kind)}, namespaceOf(r)...), r, verb, sub.Kind, strings.ToUpper(name[:1])+name[1:])
		}
	}
}

func namespaceOf(r discovery.Resource) []any {
	if !r.Namespaced {
		return nil
	}
	return []any{named("namespace", "object name and auth scope, such as for teams and projects")}
}

func named(name, description string) node {
	return node{"name": name, "in": "path", "required": true, "description": description, "schema": node{"type": "string", "uniqueItems": true}}
}

// words begin the description of an operation.
var words = map[string]string{
	"create": "create a", "get": "read the specified", "list": "list or watch objects of kind", "update": "replace the specified",
	"patch": "partially update the specified", "delete": "delete a", "deletecollection": "delete collection of",
}

var operationNames = map[string]string{
	"create": "create", "get": "read", "list": "list", "update": "replace", "patch": "patch", "delete": "delete", "deletecollection": "delete",
}

// add adds the operation of a verb to a path.
func (p *describer) add(path string, parameters []any, r discovery.Resource, verb string, kind schema.GroupVersionKind, suffix string) {
	at, ok := p.paths[path].(node)
	if !ok {
		at = node{"parameters": append(parameters, p.query("pretty")...)}
		p.paths[path] = at
	}
	tag, version := p.titles()
	id := operationNames[verb] + tag + version
	if verb == "deletecollection" {
		id += "Collection"
	}
	if r.Namespaced && suffix != "ForAllNamespaces" {
		id += "Namespaced"
	}
	id += r.Kind.Kind + suffix
	operation := node{
		"description":         words[verb] + " " + kind.Kind,
		"operationId":         id,
		"tags":                p.tags(),
		"x-kubernetes-action": methods[verb][1],
		kindsOf:               gvkNode(kind),
	}
	types := objectTypes
	if r.CRD != nil {
		types = customTypes
	}
	body, answer, codes := p.bodies(r, verb, kind)
	switch verb {
	case "list":
		operation["parameters"] = p.query(listParameters...)
	case "create", "update":
		operation["parameters"] = p.query(writeParameters...)
	case "patch":
		operation["parameters"] = p.query(patchParameters...)
	case "delete", "deletecollection":
		operation["parameters"] = p.query(deleteParameters...)
		if verb == "deletecollection" {
			operation["parameters"] = p.query(append(slices.Clone(deleteParameters), "continue", "fieldSelector", "labelSelector", "limit", "resourceVersion", "resourceVersionMatch", "shardSelector", "timeoutSeconds")...)
		}
	}
	switch {
	case verb == "patch":
		accepted := patchTypes
		if r.CRD != nil {
			accepted = slices.DeleteFunc(slices.Clone(patchTypes), func(t string) bool { return strings.Contains(t, "strategic") })
		}
		operation["requestBody"] = node{"required": true, "content": content(accepted, body)}
	case body != nil:
		operation["requestBody"] = node{"required": verb != "delete" && verb != "deletecollection", "content": content([]string{"*/*"}, body)}
	}
	responses := node{"401": node{"description": "Unauthorized"}}
	for code, description := range codes {
		responses[code] = node{"description": description, "content": content(types, answer)}
	}
	operation["responses"] = responses
	at[methods[verb][0]] = operation
}

// bodies returns the schemas of the request body and of the response for a verb, and the response codes.
func (p *describer) bodies(r discovery.Resource, verb string, kind schema.GroupVersionKind) (body, answer node, codes map[string]string) {
	object := p.kind(kind)
	ok := map[string]string{"200": "OK"}
	made := map[string]string{"200": "OK", "201": "Created"}
	switch verb {
	case "create":
		return object, object, map[string]string{"200": "OK", "201": "Created", "202": "Accepted"}
	case "update":
		return object, object, made
	case "patch":
		return ref(metaPrefix + "Patch"), object, made
	case "list":
		list := kind
		list.Kind += "List"
		if r.CRD != nil {
			list.Kind = r.CRD.Spec.Names.ListKind
		}
		return nil, p.kind(list), ok
	case "delete":
		return ref(metaPrefix + "DeleteOptions"), ref(metaPrefix + "Status"), map[string]string{"200": "OK", "202": "Accepted"}
	case "deletecollection":
		return ref(metaPrefix + "DeleteOptions"), ref(metaPrefix + "Status"), ok
	}
	return nil, object, ok
}

// kind returns a reference to the schema of a kind.
func (p *describer) kind(kind schema.GroupVersionKind) node {
	name, known := p.nameOf(kind)
	if _, made := p.own[name]; !known && !made {
		p.own[name] = node{"type": "object", "x-kubernetes-preserve-unknown-fields": true, kindsOf: []any{gvkNode(kind)}}
	}
	return ref(name)
}

func (p *describer) query(names ...string) []any {
	list := []any{}
	for _, name := range names {
		if parameter, ok := p.Parameters[name]; ok && (name != "fieldValidation" || p.validates) && (name != "shardSelector" || p.shards) {
			list = append(list, parameter)
		}
	}
	return list
}

func content(types []string, s node) node {
	c := node{}
	for _, t := range types {
		c[t] = node{"schema": s}
	}
	return c
}

// groupTitle returns the title of a group in the names of operations.
func groupTitle(group string) string {
	if group == "" {
		return "Core"
	}
	first, _, _ := strings.Cut(group, ".")
	if !strings.HasSuffix(group, ".k8s.io") && strings.Contains(group, ".") {
		first = strings.ReplaceAll(group, ".", " ")
	}
	title := ""
	for _, word := range strings.Fields(strings.ReplaceAll(first, "-", " ")) {
		title += strings.ToUpper(word[:1]) + word[1:]
	}
	return title
}
