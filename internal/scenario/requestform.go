package scenario

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/admsim/admsim/internal/manifest"

	authenticationv1 "k8s.io/api/authentication/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/pkg/rest"
)

// operations maps the operations of an AdmissionReview to verbs.
var operations = map[string]string{
	"CREATE":  rest.Create,
	"UPDATE":  rest.Update,
	"DELETE":  rest.Delete,
	"CONNECT": rest.Connect,
}

var verbs = []string{rest.Create, rest.Update, rest.Patch, Apply, rest.Delete, rest.DeleteCollection, rest.Connect, rest.Get}

// A requestReader is the state while a document of kind Request is read.
type requestReader struct {
	manifest.Value
	options manifest.Options
	Request
	failedAt int  // number of errors before this document
	misread  bool // there are unknown keys, which may be misspellings of missing ones
}

var requestKeys = []string{"apiVersion", "kind", "metadata", "operation", "verb", "resource", "subresource", "namespace", "name",
	"object", "oldObject", "patch", "patchType", "user", "options", "dryRun", "fieldManager", "fieldValidation", "query"}

// readRequest reads a document of kind Request.
func readRequest(m *manifest.Manifest, o manifest.Options, errs *manifest.Errors) (Request, bool) {
	r := newRequestReader(m, o, errs)
	r.MappingExcept([]manifest.Misplaced{{
		Key: "expand", Text: "a document of kind Request is one request", Hint: "only the cases of suites have it: see docs/suite.md",
	}}, requestKeys...)
	return r.read()
}

// readRequestOfCase reads the request of a case, which may ask for the requests of controllers.
func readRequestOfCase(m *manifest.Manifest, o manifest.Options, errs *manifest.Errors) (Request, bool) {
	r := newRequestReader(m, o, errs)
	r.Mapping(append([]string{"expand"}, requestKeys...)...)
	return r.read()
}

func newRequestReader(m *manifest.Manifest, o manifest.Options, errs *manifest.Errors) *requestReader {
	return &requestReader{
		Value: manifest.Form(m, errs), options: o, failedAt: len(*errs),
		Request: Request{Source: m.Source, manifest: *m},
	}
}

// read reads all but the names of the keys, which are known.
func (r *requestReader) read() (Request, bool) {
	errs := r.Errs
	r.misread = len(*errs) > r.failedAt
	if meta := r.Value.At("metadata"); meta.Mapping("name") {
		r.Label = meta.At("name").Text()
	}
	r.Subresource = r.Value.At("subresource").Text()
	r.Namespace, r.Name = r.Value.At("namespace").Text(), r.Value.At("name").Text()
	r.Resource = r.readResource()
	r.object = r.readObject("object")
	r.OldObject = r.readObject("oldObject")
	r.patch = r.Value.At("patch")
	r.User = readUser(r.Value.At("user"))
	if r.Verb = r.readVerb(); r.Verb != "" {
		applies := r.Verb == Apply
		r.readBody()
		r.derive()
		r.readQuery()
		if applies {
			r.apply()
		}
	}
	return r.Request, len(*errs) == r.failedAt
}

// readVerb reads operation or verb. Without either, a request with a patch is a patch, and any other a create.
func (r *requestReader) readVerb() string {
	operation, verb := r.Value.At("operation"), r.Value.At("verb")
	switch {
	case operation.Given() && verb.Given():
		verb.Errorf("drop one of them", "operation and verb exclude each other")
		return ""
	case verb.Given():
		return verb.OneOf(verbs...)
	case operation.Given():
		v := operations[operation.OneOf("CREATE", "UPDATE", "DELETE", "CONNECT")]
		if v == rest.Update && r.patch.Given() {
			return rest.Patch
		}
		return v
	case r.patch.Given():
		return rest.Patch
	}
	return rest.Create
}

// readResource reads group, version and resource, or a short form: pods, deployments.apps, deployments.v1.apps; a
// subresource may follow after a slash.
func (r *requestReader) readResource() string {
	v := r.Value.At("resource")
	if _, isText := v.Is.(string); !isText {
		return readResourceMapping(v)
	}
	words, rest, _ := strings.Cut(v.Text(), "/")
	if version, after, _ := strings.Cut(rest, "/"); isVersion(version) {
		words, rest = words+"/"+version, after
	}
	if rest != "" && r.Subresource != "" && r.Subresource != rest {
		v.Errorf("drop one of them", "subresource %q is also given as %q", rest, r.Subresource)
	}
	r.Subresource = cmp.Or(rest, r.Subresource)
	return words
}

func readResourceMapping(v manifest.Value) string {
	if !v.Mapping("group", "version", "resource") {
		return ""
	}
	words := v.At("resource").Text()
	if words == "" {
		v.Errorf("such as resource: pods", "no resource in it")
	}
	if group := v.At("group").Text(); group != "" {
		words += "." + group
	}
	if version := v.At("version").Text(); version != "" {
		words += "/" + version
	}
	return words
}

var versionForm = regexp.MustCompile(`^v[0-9]+((alpha|beta)[0-9]+)?$`)

func isVersion(s string) bool { return versionForm.MatchString(s) }

func readUser(v manifest.Value) *authenticationv1.UserInfo {
	if text, isText := v.Is.(string); isText {
		v.Errorf(fmt.Sprintf("write {username: %q}", text), "a string instead of a mapping")
		return nil
	}
	if !v.Mapping("username", "uid", "groups", "extra") {
		return nil
	}
	u := &authenticationv1.UserInfo{Username: v.At("username").Text(), UID: v.At("uid").Text(), Groups: v.At("groups").Texts()}
	if v.NoText("username") {
		v.Errorf("such as system:serviceaccount:shop:default", "no username")
	}
	extra := v.At("extra")
	if !manifest.AnyMapping(extra) {
		return u
	}
	u.Extra = map[string]authenticationv1.ExtraValue{}
	for _, key := range slices.Sorted(maps.Keys(extra.Is.(map[string]any))) {
		u.Extra[key] = extra.Key(key).Texts()
	}
	return u
}

// readBody reads the objects and the patch. It knows for each verb which of them are required and which are not
// allowed.
func (r *requestReader) readBody() {
	object, old, patch := r.Value.At("object"), r.Value.At("oldObject"), r.patch
	switch r.Verb {
	case rest.Create, rest.Update, Apply:
		r.refuse(patch, "a patch needs operation: UPDATE, and takes the place of the object")
		if r.Verb == rest.Create {
			r.refuse(old, "an object to create has no old version; to change an existing one, write operation: UPDATE")
		}
		if !object.Given() && !r.misread {
			r.Value.Errorf("give the object, or the path of its file, under object", "no object to %s", r.Verb)
		}
		if r.object != nil {
			r.Body = r.object.JSON
		}
	case rest.Patch:
		r.refuse(object, "the server makes the new object from the patch; the existing object goes under oldObject")
		if !patch.Given() {
			r.Value.Errorf("", "no patch")
		}
		r.readPatch()
	case rest.Delete:
		r.refuse(patch, "")
		r.refuse(object, "the object to delete goes under oldObject, or into the cluster")
	case rest.DeleteCollection:
		r.refuse(patch, "")
		r.refuse(object, "the object to delete goes into the cluster")
		r.refuse(old, "the object to delete goes into the cluster")
		r.refuse(r.Value.At("name"), "to delete one object, write operation: DELETE")
	case rest.Connect, rest.Get:
		r.refuse(patch, "")
		r.refuse(object, "the options of a connection go under query, such as query: {command: [ls]}")
		if r.Subresource == "" {
			r.Value.Errorf("such as subresource: exec; reads of other objects do not pass admission", "no subresource to connect to")
		}
	}
	if r.Verb != rest.Patch {
		r.refuse(r.Value.At("patchType"), "")
	}
}

func (r *requestReader) refuse(v manifest.Value, hint string) {
	if v.Given() {
		v.Errorf(hint, "a request to %s has none", r.Verb)
	}
}

// readPatch reads the patch. Only a list implies its type.
func (r *requestReader) readPatch() {
	types := []string{rest.JSONPatch, rest.MergePatch, rest.StrategicPatch, rest.ApplyPatch}
	patchType := r.Value.At("patchType")
	r.PatchType = patchType.OneOf(types...)
	switch is := r.patch.Is.(type) {
	case nil:
		return
	case []any:
		if !patchType.Given() {
			r.PatchType = rest.JSONPatch
		}
	case string: // sent as it is; need not even be JSON
		r.Body = []byte(is)
	case map[string]any:
		r.Kind = schema.FromAPIVersionAndKind(textOf(is, "apiVersion"), textOf(is, "kind"))
	default:
		r.patch.Wrong("a list of operations or a mapping")
		return
	}
	if r.Body == nil {
		r.Body = r.patch.Raw()
	}
	if r.PatchType == "" && !patchType.Given() {
		r.patch.Errorf("write patchType: merge, strategic or apply", "what type of patch is it?")
	}
}

// derive takes values that are not given from the objects: kind, namespace, name.
func (r *requestReader) derive() {
	if r.Verb == rest.Patch && r.patch.Is != nil {
		if m, isMap := r.patch.Is.(map[string]any); isMap && r.PatchType == rest.ApplyPatch {
			meta, _ := m["metadata"].(map[string]any)
			r.Namespace, r.Name = cmp.Or(r.Namespace, textOf(meta, "namespace")), cmp.Or(r.Name, textOf(meta, "name"))
		}
	}
	for _, m := range []*manifest.Manifest{r.object, r.OldObject} {
		if m == nil {
			continue
		}
		if r.Kind.Kind == "" {
			r.Kind = m.GroupVersionKind
		}
		r.Namespace = cmp.Or(r.Namespace, m.Namespace)
		// A create has no name in its URL, unless it is of a subresource of an existing object.
		if r.Verb != rest.Create || r.Subresource != "" {
			r.Name = cmp.Or(r.Name, m.Name)
		}
	}
	needsResource := r.Kind.Kind == "" || (r.Subresource != "" && r.OldObject == nil && slices.Contains(ofSubresource, r.Kind.GroupKind()))
	if r.Resource == "" && needsResource && len(*r.Errs) == r.failedAt {
		r.Value.Errorf("such as resource: deployments.apps", "no resource")
	}
	needsName := r.Verb == rest.Update || r.Verb == Apply || r.Verb == rest.Patch || r.Verb == rest.Delete || r.Subresource != ""
	if r.Name == "" && needsName && r.Verb != rest.DeleteCollection && len(*r.Errs) == r.failedAt {
		r.Value.Errorf("give name, or metadata.name in the object", "no name of what to %s", r.Verb)
	}
}

// ofSubresource are the kinds that are only sent to subresources, and do not say of which resource.
var ofSubresource = []schema.GroupKind{
	{Group: "autoscaling", Kind: "Scale"},
	{Group: "extensions", Kind: "Scale"},
	{Group: "policy", Kind: "Eviction"},
	{Group: "authentication.k8s.io", Kind: "TokenRequest"},
	{Kind: "Binding"},
}

func textOf(m map[string]any, key string) string {
	s, _ := m[key].(string)
	return s
}
