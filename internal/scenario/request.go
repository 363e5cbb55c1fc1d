package scenario

import (
	"maps"
	"net/url"

	"github.com/admsim/admsim/internal/manifest"

	admissionv1 "k8s.io/api/admission/v1"
	authenticationv1 "k8s.io/api/authentication/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/pkg/rest"
)

// A Request is one request of a run, as its author wrote it: an API request, or with Review set, a request whose
// objects the server has prepared already. [Request.API] and [Request.Admission] convert it for a simulator.
type Request struct {
	Plain  bool   // a manifest; everything is derived from it
	Label  string // the author's name for it; may be empty
	Source manifest.Source

	Verb        string                  // as in package rest
	Resource    string                  // in a form that discovery finds; empty: the resource of Kind
	Kind        schema.GroupVersionKind // of the object
	Subresource string
	Namespace   string
	Name        string

	Body      []byte // JSON
	PatchType string
	Query     url.Values

	User *authenticationv1.UserInfo // nil: the run decides

	// OldObject is put into the cluster before the request, whatever else is there. Nil: the cluster is left as it is.
	OldObject *manifest.Manifest

	Review *admissionv1.AdmissionRequest

	manifest manifest.Manifest  // for the places of errors that are found later
	object   *manifest.Manifest // the Body, if it is an object inside a larger document
	patch    manifest.Value     // absent: it is no patch
}

// Strict returns the request with field validation Strict, as kubectl sends it, unless the request itself says what to
// do about unknown fields: an object with a misspelt field tests nothing.
func (r Request) Strict() Request {
	if r.Review != nil || (r.Verb != rest.Create && r.Verb != rest.Update) || r.Query.Has("fieldValidation") {
		return r
	}
	query := maps.Clone(r.Query)
	if query == nil {
		query = url.Values{}
	}
	query.Set("fieldValidation", "Strict")
	r.Query = query
	return r
}

// Apply is the verb of kubectl apply --server-side for a manifest. To the server it is a patch.
const Apply = "apply"

// Requests converts everything that was loaded into requests, in order. A plain manifest becomes a request with the
// given verb: create, update, delete or [Apply].
func Requests(found []manifest.Manifest, verb string, o manifest.Options) ([]Request, error) {
	var all []Request
	var errs manifest.Errors
	for i := range found {
		errs.Guard(found[i].Source, func() {
			if r, ok := requestOf(&found[i], verb, o, &errs); ok {
				all = append(all, r)
			}
		})
	}
	return all, errs.Err()
}

// EachRequest calls take with each request of [Load] and [Requests] as soon as it is read, for callers that need not
// keep them. It stops at the first error of take, and returns it. misread, unless it is nil, is called with each request
// that has errors, as far as it was read.
func EachRequest(paths []string, verb string, o manifest.Options, take func(Request) error, misread func(Request)) error {
	var unfit manifest.Errors
	var stopped error
	l := manifest.NewLoader(o)
	l.Take = func(m manifest.Manifest) {
		if stopped != nil {
			return
		}
		var r Request
		ok := false
		unfit.Guard(m.Source, func() { r, ok = requestOf(&m, verb, o, &unfit) })
		switch {
		case ok:
			stopped = take(r)
		case misread != nil:
			misread(r)
		}
	}
	for _, p := range paths {
		l.Path(p)
	}
	if stopped != nil {
		return stopped
	}
	return append(l.Errs, unfit...).Err()
}

func requestOf(m *manifest.Manifest, verb string, o manifest.Options, errs *manifest.Errors) (r Request, ok bool) {
	switch manifest.KindOfForm(m, errs) {
	case manifest.ObjectForm:
		if verb == Apply && m.Name == "" {
			errs.Add(m.Source, "create it instead, or give it metadata.name", "what is applied needs a name")
			return r, false
		}
		return plain(*m, verb), true
	case manifest.RequestForm:
		return readRequest(m, o, errs)
	case manifest.ReviewForm:
		return readReview(m, errs)
	case manifest.BackendsForm:
		errs.Add(m.Source, "they belong to the cluster: name the file with -C", "backends are not a request")
	case manifest.FaultsForm:
		errs.Add(m.Source, "they belong to the cluster of admsim serve: name the file with -C", "faults are not a request")
	case manifest.SuiteForm:
		errs.Add(m.Source, "admsim test runs it", "a suite is not a request")
	}
	return r, false
}

func plain(m manifest.Manifest, verb string) Request {
	r := Request{Source: m.Source, Verb: verb, Kind: m.GroupVersionKind, Namespace: m.Namespace, Plain: true, manifest: m}
	if verb != rest.Create {
		r.Name = m.Name
	}
	if verb != rest.Delete {
		r.Body = m.JSON
	}
	if verb == Apply {
		r.apply()
	}
	return r
}

// apply turns the request into the patch that kubectl sends.
func (r *Request) apply() {
	r.Verb, r.PatchType = rest.Patch, rest.ApplyPatch
	if r.Query == nil {
		r.Query = url.Values{}
	}
	if !r.Query.Has("fieldManager") {
		r.Query.Set("fieldManager", "kubectl")
	}
}
