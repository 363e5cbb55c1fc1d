package scenario

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	authenticationv1 "k8s.io/api/authentication/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/pkg/rest"
)

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
	patch    value
	failedAt int  // how many errors there were before
	misread  bool // there are unknown keys, which may stand for what seems to be missing
}

func readRequest(m *Manifest, o Options, errs *Errors) (Request, bool) {
	r := &requestReader{value: form(m, errs), options: o, failedAt: len(*errs)}
	r.Request = Request{Source: m.Source, manifest: *m}
	if expand := r.value.at("expand"); expand.given() {
		expand.errorf("only the cases of suites have it: see docs/suite.md", "a document of kind Request is one request")
		known := maps.Clone(r.is.(map[string]any))
		delete(known, "expand")
		r.is = known
	}
	r.mapping("apiVersion", "kind", "metadata", "operation", "verb", "resource", "subresource", "namespace", "name",
		"object", "oldObject", "patch", "patchType", "user", "options", "dryRun", "fieldManager", "fieldValidation", "query")
	r.misread = len(*errs) > r.failedAt
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

// readResource reads group, version and resource, or the words for them: pods,
// deployments.apps, deployments.v1.apps; a subresource may follow after a slash.
func (r *requestReader) readResource() string {
	v := r.value.at("resource")
	if _, isText := v.is.(string); !isText {
		return readResourceMapping(v)
	}
	words, rest, _ := strings.Cut(v.text(), "/")
	if version, after, _ := strings.Cut(rest, "/"); isVersion(version) {
		words, rest = words+"/"+version, after
	}
	if rest != "" && r.Subresource != "" && r.Subresource != rest {
		v.errorf("drop one of them", "subresource %q is also given as %q", rest, r.Subresource)
	}
	r.Subresource = cmp.Or(rest, r.Subresource)
	return words
}

func readResourceMapping(v value) string {
	if !v.mapping("group", "version", "resource") {
		return ""
	}
	words := v.at("resource").text()
	if words == "" {
		v.errorf("such as resource: pods", "no resource in it")
	}
	if group := v.at("group").text(); group != "" {
		words += "." + group
	}
	if version := v.at("version").text(); version != "" {
		words += "/" + version
	}
	return words
}

var versionForm = regexp.MustCompile(`^v[0-9]+((alpha|beta)[0-9]+)?$`)

func isVersion(s string) bool { return versionForm.MatchString(s) }

func readUser(v value) *authenticationv1.UserInfo {
	if text, isText := v.is.(string); isText {
		v.errorf(fmt.Sprintf("write {username: %q}", text), "a string instead of a mapping")
		return nil
	}
	if !v.mapping("username", "uid", "groups", "extra") {
		return nil
	}
	u := &authenticationv1.UserInfo{Username: v.at("username").text(), UID: v.at("uid").text(), Groups: v.at("groups").texts()}
	if v.noText("username") {
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
		r.refuse(patch, "a patch needs operation: UPDATE, and takes the place of the object")
		if r.Verb == rest.Create {
			r.refuse(old, "an object to create has no old version; to change an existing one, write operation: UPDATE")
		}
		if !object.given() && !r.misread {
			r.value.errorf("give the object, or the path of its file, under object", "no object to %s", r.Verb)
		}
		if r.object != nil {
			r.Body = r.object.JSON
		}
	case rest.Patch:
		r.refuse(object, "the server makes the new object from the patch; the existing object goes under oldObject")
		if !patch.given() {
			r.value.errorf("", "no patch")
		}
		r.readPatch()
	case rest.Delete:
		r.refuse(patch, "")
		r.refuse(object, "the object to delete goes under oldObject, or into the cluster")
	case rest.DeleteCollection:
		r.refuse(patch, "")
		r.refuse(object, "the object to delete goes into the cluster")
		r.refuse(old, "the object to delete goes into the cluster")
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

// readPatch reads the patch. Only a list shows its type.
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
			r.Namespace, r.Name = cmp.Or(r.Namespace, textOf(meta, "namespace")), cmp.Or(r.Name, textOf(meta, "name"))
		}
	}
	for _, m := range []*Manifest{r.object, r.OldObject} {
		if m == nil {
			continue
		}
		if r.Kind.Kind == "" {
			r.Kind = m.GroupVersionKind
		}
		r.Namespace = cmp.Or(r.Namespace, m.Namespace)
		// What is created has no name in its URL, unless it is part of what is there.
		if r.Verb != rest.Create || r.Subresource != "" {
			r.Name = cmp.Or(r.Name, m.Name)
		}
	}
	// The object of a subresource mostly is of another kind than the resource.
	needsResource := r.Kind.Kind == "" || (r.Subresource != "" && r.OldObject == nil)
	if r.Resource == "" && needsResource && len(*r.errs) == r.failedAt {
		r.value.errorf("such as resource: deployments.apps", "no resource")
	}
	needsName := r.Verb == rest.Update || r.Verb == rest.Patch || r.Verb == rest.Delete || r.Subresource != ""
	if r.Name == "" && needsName && r.Verb != rest.DeleteCollection && len(*r.errs) == r.failedAt {
		r.value.errorf("give name, or metadata.name in the object", "no name of what to %s", r.Verb)
	}
}

func textOf(m map[string]any, key string) string {
	s, _ := m[key].(string)
	return s
}
