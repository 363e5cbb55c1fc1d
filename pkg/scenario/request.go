package scenario

import (
	"maps"
	"net/url"
	"slices"
	"strings"

	admissionv1 "k8s.io/api/admission/v1"
	authenticationv1 "k8s.io/api/authentication/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/pkg/rest"
)

// A Request is one request of a run, as its author wrote it: an API request, or with
// Review set one whose objects the server has prepared already. [Request.API] and
// [Request.Admission] turn it into what a simulator takes.
type Request struct {
	Label  string // what its author calls it; may be empty
	Source Source

	Verb        string                      // of package rest
	Resource    schema.GroupVersionResource // what is not given is empty
	Kind        schema.GroupVersionKind     // of the object; tells the resource where that is not given
	Subresource string
	Namespace   string
	Name        string

	Body      []byte // JSON
	PatchType string
	Query     url.Values

	User *authenticationv1.UserInfo // nil: it is for the run to say who asks

	// OldObject is in the cluster before the request, whatever else is; nil: the cluster
	// has what it needs.
	OldObject *Manifest

	Review *admissionv1.AdmissionRequest

	manifest Manifest // for the places of errors found later
}

// Requests turns everything that was loaded into requests, in order. A plain manifest is
// one with the given verb: create, update or delete.
func Requests(found []Manifest, verb string, o Options) ([]Request, error) {
	var all []Request
	var errs Errors
	for i := range found {
		m := &found[i]
		switch kindOfForm(m, &errs) {
		case objectForm:
			all = append(all, plain(*m, verb))
		case requestForm:
			if r, ok := readRequest(m, o, &errs); ok {
				all = append(all, r)
			}
		case reviewForm:
			if r, ok := readReview(m, &errs); ok {
				all = append(all, r)
			}
		case mocksForm:
			errs.add(m.Source, "load it with the cluster", "mocks are no request")
		}
	}
	return all, errs.err()
}

func plain(m Manifest, verb string) Request {
	r := Request{Source: m.Source, Verb: verb, Kind: m.GroupVersionKind, Namespace: m.Namespace, manifest: m}
	if verb != rest.Create {
		r.Name = m.Name
	}
	if verb != rest.Delete {
		r.Body = m.JSON
	}
	return r
}

// What operation is called in an AdmissionReview.
var operations = map[string]string{
	"CREATE":  rest.Create,
	"UPDATE":  rest.Update,
	"DELETE":  rest.Delete,
	"CONNECT": rest.Connect,
}

var verbs = []string{rest.Create, rest.Update, rest.Patch, rest.Delete, rest.DeleteCollection, rest.Connect, rest.Get}

// A requestReader is a document of kind Request while it is read.
type requestReader struct {
	value
	options Options
	Request
	object   *Manifest
	patch    value
	failedAt int // how many errors there were before
}

func readRequest(m *Manifest, o Options, errs *Errors) (Request, bool) {
	r := &requestReader{value: form(m, errs), options: o, failedAt: len(*errs)}
	r.Request = Request{Source: m.Source, manifest: *m}
	r.mapping("apiVersion", "kind", "metadata", "operation", "verb", "resource", "subresource", "namespace", "name",
		"object", "oldObject", "patch", "patchType", "user", "options", "dryRun", "fieldManager", "fieldValidation", "query")
	if meta := r.value.at("metadata"); meta.mapping("name") {
		r.Label = meta.at("name").text()
	}
	r.Subresource = r.value.at("subresource").text()
	r.Namespace, r.Name = r.value.at("namespace").text(), r.value.at("name").text()
	r.Resource = r.readResource()
	r.object = r.readObject("object")
	r.OldObject = r.readObject("oldObject")
	r.patch = r.value.at("patch")
	r.User = readUser(r.value.at("user"))
	if r.Verb = r.readVerb(); r.Verb != "" {
		r.readBody()
		r.derive()
		r.readQuery()
	}
	return r.Request, len(*errs) == r.failedAt
}

// readVerb reads operation or verb. Without either, what is patched is a patch, and
// everything else is created.
func (r *requestReader) readVerb() string {
	operation, verb := r.value.at("operation"), r.value.at("verb")
	switch {
	case operation.given() && verb.given():
		verb.errorf("drop one of them", "operation and verb exclude each other")
		return ""
	case verb.given():
		return verb.oneOf(verbs...)
	case operation.given():
		v := operations[operation.oneOf("CREATE", "UPDATE", "DELETE", "CONNECT")]
		if v == rest.Update && r.patch.given() {
			return rest.Patch
		}
		return v
	case r.patch.given():
		return rest.Patch
	}
	return rest.Create
}

// readResource reads group, version and resource, or all in a word as kubectl writes it:
// pods, deployments.apps, deployments.v1.apps; a subresource may follow after a slash.
func (r *requestReader) readResource() schema.GroupVersionResource {
	v := r.value.at("resource")
	if _, isText := v.is.(string); !isText {
		if !v.mapping("group", "version", "resource") {
			return schema.GroupVersionResource{}
		}
		gvr := schema.GroupVersionResource{Group: v.at("group").text(), Version: v.at("version").text(), Resource: v.at("resource").text()}
		if gvr.Resource == "" {
			v.errorf("such as resource: pods", "no resource in it")
		}
		return gvr
	}
	text, sub, hasSub := strings.Cut(v.text(), "/")
	if hasSub {
		if r.Subresource != "" && r.Subresource != sub {
			v.errorf("drop one of them", "subresource %q is also given as %q", sub, r.Subresource)
		}
		r.Subresource = sub
	}
	full, short := schema.ParseResourceArg(text)
	if full != nil && isVersion(full.Version) {
		return *full
	}
	return short.WithVersion("")
}

// isVersion tells deployments.v1.apps from certificates.cert-manager.io.
func isVersion(s string) bool {
	return len(s) > 1 && s[0] == 'v' && s[1] >= '0' && s[1] <= '9'
}

func readUser(v value) *authenticationv1.UserInfo {
	if !v.mapping("username", "uid", "groups", "extra") {
		return nil
	}
	u := &authenticationv1.UserInfo{Username: v.at("username").text(), UID: v.at("uid").text(), Groups: v.at("groups").texts()}
	if u.Username == "" {
		v.errorf("such as system:serviceaccount:shop:default", "no username")
	}
	extra := v.at("extra")
	if !anyMapping(extra) {
		return u
	}
	u.Extra = map[string]authenticationv1.ExtraValue{}
	for _, key := range slices.Sorted(maps.Keys(extra.is.(map[string]any))) {
		u.Extra[key] = extra.key(key).texts()
	}
	return u
}

// Which parts each verb has: needed, allowed, or otherwise an error with its hint.
func (r *requestReader) readBody() {
	object, old, patch := r.value.at("object"), r.value.at("oldObject"), r.patch
	switch r.Verb {
	case rest.Create, rest.Update:
		r.refuse(patch, "a patch goes with operation: UPDATE, in place of the object")
		if r.Verb == rest.Create {
			r.refuse(old, "what is created was not there before; to change it, write operation: UPDATE")
		}
		if !object.given() {
			r.value.errorf("give the object, or the path of its file, under object", "no object to %s", r.Verb)
		}
		if r.object != nil {
			r.Body = r.object.JSON
		}
	case rest.Patch:
		r.refuse(object, "the server makes the new object from the patch; what is there before goes under oldObject")
		if !patch.given() {
			r.value.errorf("", "no patch")
		}
		r.readPatch()
	case rest.Delete:
		r.refuse(patch, "")
		r.refuse(object, "what is deleted goes under oldObject, or into the cluster")
	case rest.DeleteCollection:
		r.refuse(patch, "")
		r.refuse(object, "what is deleted goes into the cluster")
		r.refuse(old, "what is deleted goes into the cluster")
		r.refuse(r.value.at("name"), "to delete one object, write operation: DELETE")
	case rest.Connect, rest.Get:
		r.refuse(patch, "")
		r.refuse(object, "the options of a connection go under query, such as query: {command: [ls]}")
		if r.Subresource == "" {
			r.value.errorf("such as subresource: exec", "no subresource to connect to")
		}
	}
	if r.Verb != rest.Patch {
		r.refuse(r.value.at("patchType"), "")
	}
}

func (r *requestReader) refuse(v value, hint string) {
	if v.given() {
		v.errorf(hint, "a request to %s has none", r.Verb)
	}
}

// readPatch reads the patch, of which only one that is a list tells its type.
func (r *requestReader) readPatch() {
	types := []string{rest.JSONPatch, rest.MergePatch, rest.StrategicPatch, rest.ApplyPatch}
	patchType := r.value.at("patchType")
	r.PatchType = patchType.oneOf(types...)
	switch is := r.patch.is.(type) {
	case nil:
		return
	case []any:
		if !patchType.given() {
			r.PatchType = rest.JSONPatch
		}
	case string: // the very text, which need not even be JSON
		r.Body = []byte(is)
	case map[string]any:
		r.Kind = schema.FromAPIVersionAndKind(textOf(is, "apiVersion"), textOf(is, "kind"))
	default:
		r.patch.wrong("a list of operations or a mapping")
		return
	}
	if r.Body == nil {
		r.Body = r.patch.raw()
	}
	if r.PatchType == "" && !patchType.given() {
		r.patch.errorf("write patchType: merge, strategic or apply", "what type of patch is it?")
	}
}

// derive fills in from the objects what is not given: kind, namespace, name.
func (r *requestReader) derive() {
	if r.Verb == rest.Patch && r.patch.is != nil {
		if m, isMap := r.patch.is.(map[string]any); isMap && r.PatchType == rest.ApplyPatch {
			meta, _ := m["metadata"].(map[string]any)
			r.Namespace, r.Name = or(r.Namespace, textOf(meta, "namespace")), or(r.Name, textOf(meta, "name"))
		}
	}
	for _, m := range []*Manifest{r.object, r.OldObject} {
		if m == nil {
			continue
		}
		if r.Kind.Kind == "" {
			r.Kind = m.GroupVersionKind
		}
		r.Namespace = or(r.Namespace, m.Namespace)
		// What is created has no name in its URL, unless it is part of what is there.
		if r.Verb != rest.Create || r.Subresource != "" {
			r.Name = or(r.Name, m.Name)
		}
	}
	// The object of a subresource mostly is of another kind than the resource.
	needsResource := r.Kind.Kind == "" || (r.Subresource != "" && r.OldObject == nil)
	if r.Resource.Resource == "" && needsResource && len(*r.errs) == r.failedAt {
		r.value.errorf("such as resource: deployments.apps", "no resource")
	}
	needsName := r.Verb == rest.Update || r.Verb == rest.Patch || r.Verb == rest.Delete || r.Subresource != ""
	if r.Name == "" && needsName && r.Verb != rest.DeleteCollection && len(*r.errs) == r.failedAt {
		r.value.errorf("give name, or metadata.name in the object", "no name of what to %s", r.Verb)
	}
}

// readQuery reads what travels in the query of the URL, and for a deletion in its body.
func (r *requestReader) readQuery() {
	r.Query = url.Values{}
	query := r.value.at("query")
	if anyMapping(query) {
		for _, key := range slices.Sorted(maps.Keys(query.is.(map[string]any))) {
			one := query.key(key)
			if _, isList := one.is.([]any); isList {
				r.Query[key] = one.texts()
			} else {
				r.Query.Set(key, one.text())
			}
		}
	}
	set := func(key, text string) {
		if text != "" {
			r.Query.Set(key, text)
		}
	}
	set("fieldManager", r.value.at("fieldManager").text())
	set("fieldValidation", r.value.at("fieldValidation").oneOf("Ignore", "Warn", "Strict"))
	if r.value.at("dryRun").flag() {
		set("dryRun", "All")
	}
	r.readOptions(r.value.at("options"))
	if len(r.Query) == 0 {
		r.Query = nil
	}
}

func (r *requestReader) readOptions(v value) {
	if r.Verb == rest.Delete || r.Verb == rest.DeleteCollection {
		r.readDeleteOptions(v)
		return
	}
	known := []string{"apiVersion", "kind", "dryRun", "fieldManager", "fieldValidation"}
	if r.Verb == rest.Patch {
		known = append(known, "force")
	}
	if r.Verb == rest.Connect || r.Verb == rest.Get {
		r.refuse(v, "the options of a connection go under query")
		return
	}
	if !v.mapping(known...) {
		return
	}
	for _, all := range v.at("dryRun").texts() {
		r.Query.Add("dryRun", all)
	}
	for _, key := range []string{"fieldManager", "fieldValidation"} {
		if text := v.at(key).text(); text != "" {
			r.Query.Set(key, text)
		}
	}
	if force := v.at("force"); force.given() && force.flag() {
		r.Query.Set("force", "true")
	}
}

// readDeleteOptions makes options the body of a deletion. With a body the server does not
// look at the query any more (W-018).
func (r *requestReader) readDeleteOptions(v value) {
	if !v.mapping("apiVersion", "kind", "dryRun", "gracePeriodSeconds", "orphanDependents", "preconditions",
		"propagationPolicy", "ignoreStoreReadErrorWithClusterBreakingPotential") {
		return
	}
	options := map[string]any{"apiVersion": "v1", "kind": "DeleteOptions"}
	for key, x := range v.is.(map[string]any) {
		options[key] = x
	}
	if r.Query.Has("dryRun") && options["dryRun"] == nil {
		options["dryRun"] = r.Query["dryRun"]
	}
	r.Body = encode(options)
}

func textOf(m map[string]any, key string) string {
	s, _ := m[key].(string)
	return s
}

func or(a, b string) string {
	if a != "" {
		return a
	}
	return b
}
