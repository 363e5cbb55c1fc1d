package openapi

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/pkg/discovery"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// The media types of bodies.
var (
	customTypes = []string{"application/json", "application/yaml"}
	patchTypes  = []string{"application/json-patch+json", "application/merge-patch+json", "application/strategic-merge-patch+json", "application/apply-patch+yaml"}
)

// The parameters of the verbs.
var (
	listParameters       = []string{"allowWatchBookmarks", "continue", "fieldSelector", "labelSelector", "limit", "resourceVersion", "resourceVersionMatch", "sendInitialEvents", "shardSelector", "timeoutSeconds", "watch"}
	writeParameters      = []string{"dryRun", "fieldManager", "fieldValidation"}
	patchParameters      = []string{"dryRun", "fieldManager", "fieldValidation", "force"}
	deleteParameters     = []string{"dryRun", "gracePeriodSeconds", "ignoreStoreReadErrorWithClusterBreakingPotential", "orphanDependents", "propagationPolicy"}
	collectionParameters = append([]string{"continue", "fieldSelector", "labelSelector", "limit", "resourceVersion", "resourceVersionMatch", "sendInitialEvents", "shardSelector", "timeoutSeconds"}, deleteParameters...)
)

// newParameters lists the parameters that not all releases have. kubectl learns from fieldValidation whether the server
// validates objects.
var newParameters = map[string]kubeversion.Feature{
	"allowWatchBookmarks": kubeversion.BookmarksOption,
	"dryRun":              kubeversion.DryRunParameter,
	"fieldManager":        kubeversion.FieldManagerOption,
	"fieldValidation":     kubeversion.FieldValidation,
	"force":               kubeversion.FieldManagerOption,
	"ignoreStoreReadErrorWithClusterBreakingPotential": kubeversion.UnsafeDeletionOption,
	"insecureSkipTLSVerifyBackend":                     kubeversion.InsecureLogsOption,
	"resourceVersionMatch":                             kubeversion.VersionMatchOption,
	"sendInitialEvents":                                kubeversion.InitialEventsOption,
	"shardSelector":                                    kubeversion.ShardSelectors,
	"stream":                                           kubeversion.LogStreamOption,
}

// A describer builds the paths of one web service, such as a group version.
type describer struct {
	*schemas
	release *kubeversion.Release
	gv      schema.GroupVersion
	paths   node
	own     node // schemas that are not among the published ones
}

// groupVersion adds the paths of a group version that serves these resources.
func (p *describer) groupVersion(gv schema.GroupVersion, served []discovery.Resource) error {
	p.gv = gv
	for _, r := range served {
		if r.CRD != nil {
			made, err := customSchemas(r)
			if err != nil {
				return err
			}
			maps.Copy(p.own, made)
		}
		p.resource(r)
	}
	if hasDiscovery(served) {
		tag, version := p.titles()
		p.discovery(prefix(gv)+"/", "get available resources", "get"+tag+version+"APIResources", p.tag(), "APIResourceList")
	}
	for _, path := range p.paths {
		shareParameters(path.(node))
	}
	return nil
}

// hasDiscovery reports whether a group version with these resources has its own paths of discovery. Those with only custom
// resources do not.
func hasDiscovery(served []discovery.Resource) bool {
	return slices.ContainsFunc(served, func(r discovery.Resource) bool { return r.CRD == nil })
}

// discovery adds the path of a document of discovery, which is of a kind of meta/v1.
func (p *describer) discovery(path, description, operation, tag, kind string) {
	p.document(path, description, operation, tag, p.objectTypes(), ref(metaPrefix+kind))
}

// document adds the path of a document that has these media types.
func (p *describer) document(path, description, operation, tag string, types []string, of node) {
	p.paths[path] = node{"get": node{
		"description": description,
		"operationId": operation,
		"tags":        []any{tag},
		"responses": node{
			"200": node{"description": "OK", "content": content(types, of)},
			"401": node{"description": "Unauthorized"},
		},
	}}
}

// titles returns the names of the group and the version in the names of operations.
func (p *describer) titles() (group, version string) {
	return strings.ReplaceAll(groupTitle(p.gv.Group), " ", ""), strings.ToUpper(p.gv.Version[:1]) + p.gv.Version[1:]
}

func (p *describer) tag() string {
	group, _ := p.titles()
	return groupTag(group) + "_" + p.gv.Version
}

func groupTag(title string) string { return strings.ToLower(title[:1]) + title[1:] }

// shareParameters moves the parameters that all operations of a path have to the path, and sorts all of them:
// kubernetes/kube-openapi:pkg/builder3/openapi.go.
func shareParameters(path node) {
	operations := maps.Clone(path)
	delete(operations, "parameters")
	key := func(parameter any) string { return fmt.Sprint(parameter.(node)["name"], " ", parameter.(node)["in"]) }
	count := map[string]int{}
	for _, operation := range operations {
		list, _ := operation.(node)["parameters"].([]any)
		for _, parameter := range list {
			count[key(parameter)]++
		}
	}
	byName := func(a, b any) int { return strings.Compare(key(a), key(b)) }
	shared, _ := path["parameters"].([]any)
	shared = slices.Clone(shared)
	for i, method := range slices.Sorted(maps.Keys(operations)) {
		operation := operations[method].(node)
		list, has := operation["parameters"].([]any)
		if !has {
			continue
		}
		own := []any{}
		for _, parameter := range list {
			switch isShared := count[key(parameter)] == len(operations); {
			case !isShared:
				own = append(own, parameter)
			case i == 0:
				shared = append(shared, parameter)
			}
		}
		slices.SortFunc(own, byName)
		operation["parameters"] = own
		if len(own) == 0 {
			delete(operation, "parameters")
		}
	}
	if len(shared) > 0 {
		slices.SortFunc(shared, byName)
		path["parameters"] = shared
	}
}

// methods maps verbs to the HTTP method, and to the verb's name in documents.
var methods = map[string][2]string{
	"create": {"post", "post"}, "get": {"get", "get"}, "list": {"get", "list"}, "update": {"put", "put"}, "patch": {"patch", "patch"},
	"delete": {"delete", "delete"}, "deletecollection": {"delete", "deletecollection"}, "watch": {"get", "watch"}, "watchlist": {"get", "watchlist"},
}

const forAllNamespaces = "ForAllNamespaces"

func (p *describer) resource(r discovery.Resource) {
	base := prefix(p.gv)
	in := ""
	if r.Namespaced {
		in = "/namespaces/{namespace}"
		if slices.Contains(r.Verbs, "list") {
			p.add(base+"/"+r.Resource, nil, r, "list", r.Kind, forAllNamespaces)
		}
	}
	collection := base + in + "/" + r.Resource
	name := append([]any{named("name", "name of the "+r.Kind.Kind)}, namespaceOf(r)...)
	for _, verb := range r.Verbs {
		switch verb {
		case "create", "list", "deletecollection":
			p.add(collection, namespaceOf(r), r, verb, r.Kind, "")
		case "get", "update", "patch", "delete":
			p.add(collection+"/{name}", name, r, verb, r.Kind, "")
		case "watch":
			if r.CRD != nil {
				continue // the server only describes those of built-in kinds
			}
			if r.Namespaced {
				p.add(base+"/watch/"+r.Resource, nil, r, "watchlist", r.Kind, "List"+forAllNamespaces)
			}
			p.add(base+"/watch"+in+"/"+r.Resource, namespaceOf(r), r, "watchlist", r.Kind, "List")
			p.add(base+"/watch"+in+"/"+r.Resource+"/{name}", name, r, "watch", r.Kind, "")
		}
	}
	for _, subresource := range slices.Sorted(maps.Keys(r.Subresources)) {
		sub := r.Subresources[subresource]
		path := collection + "/{name}/" + subresource
		parameters := append([]any{named("name", "name of the "+statedKind(r, sub.Kind).Kind)}, namespaceOf(r)...)
		for _, verb := range sub.Verbs {
			switch _, known := methods[verb]; {
			case verb == "connect":
				p.connect(path, parameters, r, subresource)
			case known:
				p.add(path, parameters, r, verb, sub.Kind, subresource)
			}
		}
	}
}

// statedKind returns the kind of which an operation is said to be. The server calls the scale of a custom resource one of
// the resource's own kind.
func statedKind(r discovery.Resource, kind schema.GroupVersionKind) schema.GroupVersionKind {
	if r.CRD != nil {
		return r.Kind
	}
	return kind
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

// connect adds the operations of a subresource that connects.
func (p *describer) connect(path string, parameters []any, r discovery.Resource, subresource string) {
	used := []string{"get", "post"}
	if subresource == "proxy" {
		used = []string{"delete", "get", "head", "options", "patch", "post", "put"}
	}
	tag, version := p.titles()
	add := func(path, suffix string, parameters []any) {
		at := node{"parameters": slices.Concat(parameters, p.special(r, subresource))}
		for _, method := range used {
			id := "connect" + tag + version + title(method)
			if r.Namespaced {
				id += "Namespaced"
			}
			at[method] = node{
				"description":         "connect " + strings.ToUpper(method) + " requests to " + subresource + " of " + r.Kind.Kind,
				"operationId":         id + r.Kind.Kind + title(subresource) + suffix,
				"tags":                []any{p.tag()},
				"x-kubernetes-action": "connect",
				kindsOf:               gvkNode(r.Subresources[subresource].Kind),
				"responses": node{
					"200": node{"description": "OK", "content": content([]string{"*/*"}, node{"type": "string"})},
					"401": node{"description": "Unauthorized"},
				},
			}
		}
		p.paths[path] = at
	}
	add(path, "", parameters)
	if subresource == "proxy" {
		add(path+"/{path}", "WithPath", append([]any{named("path", "path to the resource")}, parameters...))
	}
}

// special returns the parameters that only a subresource has.
func (p *describer) special(r discovery.Resource, subresource string) (list []any) {
	for _, parameter := range p.Special[r.Resource+"/"+subresource] {
		if p.has(parameter) {
			list = append(list, parameter)
		}
	}
	return list
}

func title(word string) string { return strings.ToUpper(word[:1]) + word[1:] }

var operationNames = map[string]string{
	"create": "create", "get": "read", "list": "list", "update": "replace", "patch": "patch", "delete": "delete", "deletecollection": "delete",
	"watch": "watch", "watchlist": "watch",
}

// describe returns the description of an operation on a kind, or on a subresource of it:
// kubernetes/apiserver:pkg/endpoints/installer.go.
func describe(verb string, r discovery.Resource, subresource string) string {
	kind := r.Kind.Kind
	sub := ""
	if subresource != "" {
		sub = " " + subresource + " of"
	}
	article := " a "
	switch {
	case strings.HasSuffix(kind, "s") && !strings.HasSuffix(kind, "ss"):
		article = " " // it is a plural
	case strings.ContainsAny(kind[:1], "AEIOUaeiou"):
		article = " an "
	}
	switch verb {
	case "create", "delete":
		return verb + sub + article + kind
	case "get":
		return "read" + sub + " the specified " + kind
	case "update":
		return "replace" + sub + " the specified " + kind
	case "patch":
		return "partially update" + sub + " the specified " + kind
	case "deletecollection":
		return "delete collection of " + kind
	case "watch":
		return "watch changes to an object of kind " + kind + ". deprecated: use the 'watch' parameter with a list operation instead, filtered to a single item with the 'fieldSelector' parameter."
	case "watchlist":
		return "watch individual changes to a list of " + kind + ". deprecated: use the 'watch' parameter with a list operation instead."
	}
	if r.CRD == nil && slices.Contains(r.Verbs, "watch") {
		return "list or watch objects of kind " + kind
	}
	return "list objects of kind " + kind
}

// add adds the operation of a verb to a path. suffix is the last part of its name, such as that of a subresource.
func (p *describer) add(path string, parameters []any, r discovery.Resource, verb string, kind schema.GroupVersionKind, suffix string) {
	at, ok := p.paths[path].(node)
	if !ok {
		at = node{"parameters": append(slices.Clone(parameters), p.query("pretty")...)}
		p.paths[path] = at
	}
	subresource := ""
	if _, is := r.Subresources[suffix]; is {
		subresource, suffix = suffix, title(suffix)
	}
	tag, version := p.titles()
	id := operationNames[verb] + tag + version
	if verb == "deletecollection" {
		id += "Collection"
	}
	if r.Namespaced && !strings.HasSuffix(suffix, forAllNamespaces) {
		id += "Namespaced"
	}
	operation := node{
		"description":         describe(verb, r, subresource),
		"operationId":         id + r.Kind.Kind + suffix,
		"tags":                []any{p.tag()},
		"x-kubernetes-action": methods[verb][1],
		kindsOf:               gvkNode(statedKind(r, kind)),
		"parameters":          append(p.parameters(r, verb), p.special(r, subresource)...),
	}
	body, answer, codes := p.bodies(r, verb, kind)
	types := p.answerTypes(r, verb)
	if subresource == "log" {
		answer, types = node{"type": "string"}, append([]string{"text/plain"}, types...)
	}
	if body != nil {
		request := node{"content": content(p.bodyTypes(r, verb), body)}
		if verb != "delete" && verb != "deletecollection" {
			request["required"] = true
		}
		operation["requestBody"] = request
	}
	responses := node{"401": node{"description": "Unauthorized"}}
	for code, description := range codes {
		responses[code] = node{"description": description, "content": content(types, answer)}
	}
	operation["responses"] = responses
	at[methods[verb][0]] = operation
}

// parameters returns the parameters of a verb. Those of custom resources are described by other code of the server:
// kubernetes/apiextensions-apiserver:pkg/controller/openapi/builder/builder.go.
func (p *describer) parameters(r discovery.Resource, verb string) []any {
	switch verb {
	case "list", "watch", "watchlist":
		return append(p.query(listParameters...), p.uninitialized(verb)...)
	case "create":
		return append(p.query(writeParameters...), p.uninitialized(verb)...)
	case "update":
		return p.query(writeParameters...)
	case "patch":
		return p.among(p.Patch, patchParameters)
	case "delete":
		return p.query(deleteParameters...)
	case "deletecollection":
		if r.CRD != nil {
			return p.query(listParameters...)
		}
		return append(p.query(collectionParameters...), p.uninitialized(verb)...)
	case "get":
		if r.CRD != nil {
			return p.query("resourceVersion")
		}
	}
	return nil
}

// uninitialized returns the parameter about objects that are not initialized, if the release has it for the verb.
func (p *describer) uninitialized(verb string) []any {
	text := "If true, partially initialized resources are included in the response."
	switch {
	case p.release.Has(kubeversion.NoInitializers):
		return nil
	case verb == "create" && !p.release.Has(kubeversion.IncludeUninitializedOption):
		return nil
	case verb == "create":
		text = "If IncludeUninitialized is specified, the object may be returned without completing initialization."
	}
	boolean := node{"type": "boolean", "uniqueItems": true}
	return []any{node{"name": "includeUninitialized", "in": "query", "description": text, "schema": boolean}}
}

// bodyTypes returns the media types of the body of a request.
func (p *describer) bodyTypes(r discovery.Resource, verb string) []string {
	switch {
	case verb == "patch" && r.CRD != nil:
		return slices.DeleteFunc(slices.Clone(patchTypes), func(t string) bool { return strings.Contains(t, "strategic") })
	case verb == "patch" && p.cbor():
		return append([]string{"application/apply-patch+cbor"}, patchTypes...)
	case verb == "patch":
		return patchTypes
	case r.CRD != nil:
		return customTypes
	}
	return []string{"*/*"}
}

// answerTypes returns the media types of an answer.
func (p *describer) answerTypes(r discovery.Resource, verb string) []string {
	if r.CRD != nil {
		return customTypes
	}
	types := p.objectTypes()
	if verb == "watch" || verb == "watchlist" || verb == "list" {
		types = append(types, "application/json;stream=watch", "application/vnd.kubernetes.protobuf;stream=watch")
		if p.cbor() {
			types = append(types, "application/cbor-seq")
		}
	}
	return types
}

// objectTypes returns the media types of built-in objects.
func (p *describer) objectTypes() []string {
	types := []string{"application/json", "application/yaml", "application/vnd.kubernetes.protobuf"}
	if p.cbor() {
		types = append(types, "application/cbor")
	}
	return types
}

func (p *describer) cbor() bool { return p.release.GateOn("CBORServingAndStorage") }

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
		if r.CRD != nil {
			made = ok
		}
		return ref(metaPrefix + "Patch"), object, made
	case "watch", "watchlist":
		return nil, ref(metaPrefix + "WatchEvent"), ok
	case "list":
		list := kind
		list.Kind += "List"
		if r.CRD != nil {
			list.Kind = r.CRD.Spec.Names.ListKind
		}
		return nil, p.kind(list), ok
	case "delete":
		answer := ref(metaPrefix + "Status")
		if name, _ := p.nameOf(kind); slices.Contains(p.Returned, name) {
			answer = object
		}
		return ref(metaPrefix + "DeleteOptions"), answer, map[string]string{"200": "OK", "202": "Accepted"}
	case "deletecollection":
		if r.CRD != nil {
			return nil, ref(metaPrefix + "Status"), ok
		}
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

// query returns the query parameters of these names that the release has.
func (p *describer) query(names ...string) []any { return p.among(p.Parameters, names) }

func (p *describer) among(all node, names []string) []any {
	list := []any{}
	for _, name := range names {
		if parameter, ok := all[name].(node); ok && p.has(parameter) {
			list = append(list, parameter)
		}
	}
	return list
}

// has reports whether the release has a parameter.
func (p *describer) has(parameter any) bool {
	name, _ := parameter.(node)["name"].(string)
	feature, isNew := newParameters[name]
	return !isNew || p.release.Has(feature)
}

func content(types []string, s node) node {
	c := node{}
	for _, t := range types {
		c[t] = node{"schema": s}
	}
	return c
}

// groupTitle returns the title of a group in the names of operations: kubernetes/apiserver:pkg/endpoints/openapi/openapi.go.
func groupTitle(group string) string {
	if group == "" {
		return "Core"
	}
	words := strings.NewReplacer(".", " ", "-", " ").Replace(strings.TrimSuffix(group, ".k8s.io"))
	title := ""
	for _, word := range strings.Fields(words) {
		title += strings.ToUpper(word[:1]) + word[1:]
	}
	return title
}
