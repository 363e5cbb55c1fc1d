// Package rest does what the API server does with one request around admission: it decodes the body, finds or builds
// the object, runs the mutating phase, prepares and validates the object, runs the validating phase, and writes the
// object into the cluster.
//
// Start with [Server.Do]. A [Request] is a verb, the parts of a URL and a body, as they come over the wire.
// [Server.Admit] is for requests whose objects are already prepared. Package objects knows how to treat objects of a
// kind, and package chain runs the plugins. This package only knows the order of these steps, as in
// kubernetes/apiserver:pkg/endpoints/handlers and pkg/registry/generic/registry/store.go.
//
// There is a file for each verb (create.go, update.go, patch.go, delete.go, collection.go, connect.go, read.go), and
// one for each special case: routes.go says which paths exist, virtual.go lists the creates that store nothing, view.go
// is for subresources that show an object in another form. Package access decides what a user may do, package change
// makes the object that a write stores, package subresources knows what the subresources of built-in kinds do, and
// package selectors parses the selectors of lists.
package rest

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apiserver/pkg/authorization/authorizer"

	"github.com/admsim/admsim/internal/objects"
	"github.com/admsim/admsim/pkg/admission"
	"github.com/admsim/admsim/pkg/chain"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/discovery"
	"github.com/admsim/admsim/pkg/kubeversion"
	"github.com/admsim/admsim/pkg/trace"
)

// The verbs of a Request. Connect stands for every method on exec, attach, portforward and proxy.
const (
	Create           = "create"
	Update           = "update"
	Patch            = "patch"
	Delete           = "delete"
	DeleteCollection = "deletecollection"
	Connect          = "connect"
	Get              = "get"
	List             = "list"
)

// The patch types of a Request.
const (
	JSONPatch      = "json"
	MergePatch     = "merge"
	StrategicPatch = "strategic"
	ApplyPatch     = "apply"
)

// A Request is one API request as it comes over the wire.
type Request struct {
	Verb        string
	Resource    schema.GroupVersionResource
	Subresource string // proxy/ may be followed by the requested path
	ConnectVerb string // verb of the HTTP method of a connection, which authorizers get; empty: get for proxies, else create
	Head        bool   // the method is HEAD, not GET, which the routes of built-in resources do not have, except for proxies
	Namespace   string
	Name        string

	Body      []byte  // JSON; empty if the verb has no body
	Faults    []error // what was wrong with the body before it became JSON: keys that its YAML has twice
	PatchType string
	Query     url.Values
	User      authenticationv1.UserInfo
	UserAgent string // names the field manager, if Query does not

	// Earlier returns the state of the cluster at a version, if it is still known: the state in which a page of a
	// collection was read is also that of the next pages. Nil: no state but the current one is known, and all pages
	// are read there.
	Earlier func(version int64) (*cluster.State, bool)
}

// Path returns the path of the request's URL.
func (r Request) Path() string {
	at := versionPath(r.Resource.GroupVersion())
	if r.Namespace != "" && r.Resource.GroupResource() != (schema.GroupResource{Resource: "namespaces"}) {
		at += "/namespaces/" + r.Namespace
	}
	for _, part := range []string{r.Resource.Resource, r.Name, r.Subresource} {
		if part != "" {
			at += "/" + part
		}
	}
	return at
}

func versionPath(gv schema.GroupVersion) string {
	if gv.Group == "" {
		return "/api/" + gv.Version
	}
	return "/apis/" + gv.String()
}

// A Response is the server's answer, and what the request did to the cluster.
type Response struct {
	Code   int
	Object runtime.Object // a *metav1.Status if the request failed, or if that is the answer
	Text   string         // the body if it is not an object; Object is nil then

	// Read reports that the server has read the body, so that its audit log may contain it.
	Read bool

	// Items are the deleted objects of a collection, which Object lists.
	Items []runtime.Object

	Warnings         []string
	AuditAnnotations map[string]string
	Admissions       []trace.Admission
	Sent             []trace.Sent // what the server asked itself meanwhile

	// DeniedBy is the step that refused the request, if only because the request's time was over in it. Nil: it was not
	// refused, or before or after all steps.
	DeniedBy *trace.Step

	// PatchFault says which operation of the request's JSON patch does not apply, and what it needs. The server does not
	// say so.
	PatchFault string

	State *cluster.State

	// Authorization is the answer of the authorizers to the request; nil if they were not consulted, or too late.
	Authorization *Authorization

	// Connected reports that the server would now connect to what the request names: a kubelet, a pod, a node or a
	// service. None of them runs in a simulated cluster, so Code and Object are those of a failed connection.
	Connected bool

	// Waits is how long the server waits before it answers like this, because the new object has to be initialized and
	// nobody does so (IN-10); 0: not at all. Initialized returns what it answers instead after a write of somebody else;
	// ended is false if that write does not end the wait.
	Waits       time.Duration
	Initialized func(cluster.Change) (answer Response, ended bool, err error)

	// Failed returns what becomes of the cluster when a create has waited in vain: the server takes back what it had
	// allocated for the object. Nil: the cluster stays as it is.
	Failed func(*cluster.State) *cluster.State

	// Undetermined explains why the server may give one of Alternatives instead, or the same answer with parts of it in
	// another order: neither the request nor the cluster determines it. Empty: it always answers like this.
	Undetermined string
	Alternatives []Response
}

// Allowed reports whether neither admission nor the server itself refused the request.
func (r Response) Allowed() bool { return r.Code < 400 || r.Connected }

// Status returns the reason why the request failed, or nil if it did not fail.
func (r Response) Status() *metav1.Status {
	if s, ok := r.Object.(*metav1.Status); ok && r.Code >= 400 {
		return s
	}
	return nil
}

// Decider returns the step of a plugin that denied the request, and the webhook or policy in that step that did so, if
// any. Both are nil if admission did not deny the request.
func (r Response) Decider() (*trace.Step, *trace.Hook) {
	if r.DeniedBy == nil || r.DeniedBy.Phase == trace.Server {
		return nil, nil
	}
	return r.DeniedBy, r.DeniedBy.Decider()
}

// A Server answers requests. Fields that do not say what nil means must be set. It has no state of its own, so it may
// be used concurrently.
type Server struct {
	Release    *kubeversion.Release // nil: the newest
	Chain      *chain.Chain
	Resources  *discovery.Resources
	Types      *objects.Types
	Authorizer authorizer.UnconditionalAuthorizer

	// Authorizes refuses every request that the authorizer does not allow, and every role and binding that grants
	// more than its author has.
	Authorizes bool

	Now    func() time.Time
	NewUID func() types.UID
	// Suffix returns the characters that complete a generated name.
	Suffix func() string

	// Tokens creates and verifies the tokens of service accounts. Nil: no token is valid.
	Tokens Tokens

	// Conversions returns the calls of conversion webhooks since the last time, Questions those of authorization
	// webhooks. Nil: they are not recorded.
	Conversions, Questions func() []trace.Hook

	// DefinitionsKept leaves a terminating definition in the cluster when its last custom resource is gone: a controller
	// removes it. False: it is gone at once.
	DefinitionsKept bool

	// AddressesFreed makes the address of a service free once its IPAddress is gone: a controller creates it again. False:
	// it stays taken.
	AddressesFreed bool

	Explain bool // record in the trace which rule of a CRD refused an object
}

func (s *Server) release() *kubeversion.Release {
	if s.Release == nil {
		return kubeversion.Default()
	}
	return s.Release
}

// DoUnadmitted answers a request that is neither authorized nor admitted, such as a request of the server's own
// controllers.
func (s *Server) DoUnadmitted(ctx context.Context, state *cluster.State, req Request) (Response, error) {
	unadmitted := *s
	unadmitted.Chain, unadmitted.Authorizes, unadmitted.Explain = &chain.Chain{}, false, false
	return unadmitted.Do(ctx, state, req)
}

// Do answers one request to a cluster in the given state.
func (s *Server) Do(ctx context.Context, state *cluster.State, req Request) (Response, error) {
	x := newExchange(s, state, req)
	x.course.Context = ctx
	if asked := admission.CourseOf(ctx); asked != nil {
		x.course.Answer, x.course.Form = asked.Answer, asked.Form
	}
	response, err := x.answer()
	if because := x.course.Undetermined(); err == nil && because != nil {
		response.Undetermined, response.Alternatives = x.onOtherCourses(ctx, state, req, response, because)
	}
	if loose := x.course.Loose(); loose != nil {
		response.Undetermined = strings.TrimPrefix(response.Undetermined+"; "+strings.Join(loose, "; "), "; ")
	}
	return response, err
}

// answer answers the request on one course.
func (x *exchange) answer() (Response, error) {
	code, object, err := x.do(&x.course)
	if err == nil {
		err = x.checkItems(object)
	}
	if refused := x.ends(err); refused != nil {
		code, object, err = refused.code, refused.body, nil
	}
	if err != nil {
		return Response{}, fmt.Errorf("%s %s: %w", x.req.Verb, x.req.Resource.Resource, err)
	}
	x.callsAfter()
	if x.timedOut() {
		code, object = x.timeout()
		x.alternatives = alternatives{}
	}
	return x.response(code, object), nil
}

// checkItems refuses to show a custom resource that has a list of items: it looks like a list, whose items the server
// then fails to read (ER-11, kubernetes/apiserver:pkg/endpoints/handlers/response.go). It has been stored by then.
func (x *exchange) checkItems(object runtime.Object) error {
	custom, ok := object.(*unstructured.Unstructured)
	if !ok || !custom.IsList() || x.req.Verb == List || x.req.Verb == DeleteCollection || !x.server.release().Has(kubeversion.NoSelfLinks) {
		return nil
	}
	return plain("%T is not a list: no Items field in this object", custom)
}

// maxBody is the maximum size of a body. A body that was sent as protobuf is larger as JSON, but usually far below this
// limit: etcd accepts half as much.
const maxBody = 3 << 20

func (x *exchange) do(ctx context.Context) (code int, object runtime.Object, err error) {
	if err := x.checkTimeout(); err != nil {
		return 0, nil, err
	}
	if err := x.authorize(ctx); err != nil {
		return 0, nil, err
	}
	if err := x.route(); err != nil {
		return 0, nil, err
	}
	if x.connects() {
		return x.connect(ctx)
	}
	if len(x.req.Body) > maxBody {
		return 0, nil, refuse(apierrors.NewRequestEntityTooLargeError(fmt.Sprintf("limit is %d", maxBody)))
	}
	if err := x.checkDryRun(); err != nil {
		return 0, nil, err
	}
	switch x.req.Verb {
	case Create:
		return x.create(ctx)
	case Update:
		return x.put(ctx)
	case Patch:
		return x.patch(ctx)
	case Delete:
		return x.delete(ctx)
	case DeleteCollection:
		return x.deleteCollection(ctx)
	case Get:
		return x.get()
	case List:
		return x.listAll()
	}
	return 0, nil, noRoute(http.StatusMethodNotAllowed)
}
