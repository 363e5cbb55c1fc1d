// Package rest is what the API server does with one request around admission: it decodes
// the body, finds or builds the object, has the chain mutate it, prepares and validates
// it, has the chain validate it, and writes it into the cluster.
//
// Start with [Server.Do]. A [Request] is a verb, the parts of a URL and a body, as they
// come over the wire; [Server.Admit] is for requests whose objects were prepared already.
// How an object of a kind is treated is known to package objects, what the plugins do to
// package chain; here is only the order of things, as in
// kubernetes/apiserver:pkg/endpoints/handlers and pkg/registry/generic/registry/store.go.
//
// A file a verb (create.go, update.go, patch.go, delete.go, collection.go, connect.go,
// read.go), and one for each thing that a verb does in its own way: routes.go says which
// paths there are, virtual.go lists the creates that store nothing, view.go is for
// subresources that show an object as something else.
package rest

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apiserver/pkg/authorization/authorizer"

	"github.com/admsim/admsim/internal/objects"
	"github.com/admsim/admsim/pkg/chain"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/discovery"
	"github.com/admsim/admsim/pkg/kubeversion"
	"github.com/admsim/admsim/pkg/patch"
	"github.com/admsim/admsim/pkg/trace"
)

// The verbs of a Request. Connect stands for any method on exec, attach, portforward and
// proxy, which connect whatever the method is.
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
	Subresource string // behind proxy/ the path to ask for may follow
	Namespace   string
	Name        string

	Body      []byte // JSON; empty if the verb takes none
	PatchType string
	Query     url.Values
	User      authenticationv1.UserInfo
	UserAgent string // after which fields have their manager, where Query names none
}

// A Response is the server's answer, and what the request did to the cluster.
type Response struct {
	Code   int
	Object runtime.Object // a *metav1.Status where the request failed, or where that is the answer
	Text   string         // the body where it is no object; Object is nil then

	// Items are what was deleted with a collection, which Object lists.
	Items []runtime.Object

	Warnings         []string
	AuditAnnotations map[string]string
	Admissions       []trace.Admission
	State            *cluster.State
}

// Status is the reason why the request failed, nil if it did not.
func (r Response) Status() *metav1.Status {
	if s, ok := r.Object.(*metav1.Status); ok && r.Code >= 400 {
		return s
	}
	return nil
}

// Decider is the step that ended a request which was denied, and of it the webhook or policy
// that did, where one did. Both are nil if admission ended nothing.
func (r Response) Decider() (*trace.Step, *trace.Hook) {
	for i := range r.Admissions {
		for j := range r.Admissions[i].Steps {
			step := &r.Admissions[i].Steps[j]
			if !step.Outcome.Ends() {
				continue
			}
			if step.Phase == trace.Server {
				return nil, nil
			}
			return step, step.Decider()
		}
	}
	return nil, nil
}

// A Server answers requests. Fields that do not say what nil means must be set. It changes
// nothing of its own, so that any number of requests can be answered at once.
type Server struct {
	Release    *kubeversion.Release // nil: the newest
	Chain      *chain.Chain
	Resources  *discovery.Resources
	Types      *objects.Types
	Authorizer authorizer.UnconditionalAuthorizer
	Schemas    *patch.Schemas // nil: made when needed

	// Authorizes has every request refused that the authorizer does not allow, and every role and
	// binding that grants more than its author has.
	Authorizes bool

	Now    func() time.Time
	NewUID func() types.UID
	// Suffix returns the characters that complete a generated name.
	Suffix func() string

	Explain bool // have the trace say which rule of a CRD an object was refused for
}

func (s *Server) release() *kubeversion.Release {
	if s.Release == nil {
		return kubeversion.Default()
	}
	return s.Release
}

// Do answers one request that finds the cluster in the given state.
func (s *Server) Do(ctx context.Context, state *cluster.State, req Request) (Response, error) {
	x := newExchange(s, state, req)
	code, object, err := x.do(ctx)
	if refusal := (*refusal)(nil); errors.As(err, &refusal) {
		code, object, err = refusal.code, refusal.body, nil
	}
	if err != nil {
		return Response{}, fmt.Errorf("%s %s: %w", req.Verb, req.Resource.Resource, err)
	}
	if x.timedOut() {
		code, object = x.timeout()
	}
	return x.response(code, object), nil
}

// maxBody is how large a body may be. One that came as protobuf is larger as JSON, yet as a rule
// far from this: etcd takes half as much.
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
