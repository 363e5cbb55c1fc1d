// Package simulator is the start for Go users: it joins a Kubernetes release, the objects of a cluster, the
// admission plugins and the backends of webhooks into one [Simulator], which answers requests as kube-apiserver
// would.
//
// Start with [New], then call [Simulator.Do] for an API request, or [Simulator.Admit] for one whose objects are
// already prepared, such as a recorded AdmissionReview. Neither changes the simulator, so requests can be
// answered side by side. Each [Result] has the simulator of the cluster after the request, for requests that
// follow.
//
// The package does not read files, and does not know how a result is shown. Tests of webhooks are easier with
// package admsimtest.
package simulator

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apiserver/pkg/authorization/authorizer"

	"github.com/admsim/admsim/internal/view"
	"github.com/admsim/admsim/pkg/admission"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/discovery"
	"github.com/admsim/admsim/pkg/dispatch"
	"github.com/admsim/admsim/pkg/expression"
	"github.com/admsim/admsim/pkg/kubeversion"
	"github.com/admsim/admsim/pkg/rest"
)

// Options say what is simulated. The zero value is an empty cluster of the default release, in which a call of
// a webhook is an error.
type Options struct {
	Release *kubeversion.Release // nil: [kubeversion.Default]
	State   *cluster.State       // nil: an empty cluster
	Plugins Plugins              // zero: those that are on by default, without configuration

	// Backends returns the backend of a webhook. Nil: there is none, so a request that needs a webhook cannot be
	// answered.
	Backends func(configuration, webhook string) dispatch.Backend

	// Authorization are the modes of kube-apiserver's flag --authorization-mode, such as Node and RBAC. A request
	// that they do not allow is refused before admission. Empty: all requests are allowed, and Node and RBAC
	// answer the questions of plugins and reviews.
	Authorization []string

	// Authorizers are what some of these modes need: ABAC its policies, Webhook the place of the webhook, for which
	// Backends are asked as for others.
	Authorizers admission.Authorizers

	// Explain adds every webhook that was skipped to the trace, with the reason. This takes time in proportion to
	// their number.
	Explain bool

	// Expressions compiles the expressions of the release. Simulators of one release that share it also share what
	// is compiled. Nil: the simulator makes its own.
	Expressions *expression.Compiler

	// Variables adds every variable of the evaluated policies to the trace, with its value. Otherwise only
	// variables that an expression uses are evaluated.
	Variables bool

	// Tokens makes and knows the tokens of service accounts. Nil: they stand for nobody.
	Tokens rest.Tokens

	// Now and NewUID are the clock and the source of UIDs. Nil: a fixed moment, and UIDs that count up, so that
	// the same requests have the same results.
	Now    func() time.Time
	NewUID func() types.UID

	conversions    *view.Conversions // of the one request that these options are for
	authorizations *view.Notes       // of the same
	controllers    bool              // what plugins create has what controllers add to it: see [Simulator.AssumeControllers]
}

// A Simulator answers requests to one cluster in one state. It never changes.
type Simulator struct {
	options Options
	state   *cluster.State
	parts   *parts
}

// A Result is the answer to one request.
type Result struct {
	rest.Response
	Next *Simulator // the simulator of the cluster after the request
}

// New returns the simulator of a cluster.
func New(o Options) (*Simulator, error) {
	o = o.withDefaults()
	parts, err := newParts(nil, o.State, o)
	if err != nil {
		return nil, err
	}
	return &Simulator{options: o, state: o.State, parts: parts}, nil
}

// State returns the cluster.
func (s *Simulator) State() *cluster.State { return s.state }

// With returns the simulator of the cluster in another state. What does not depend on the difference is shared
// with s.
func (s *Simulator) With(state *cluster.State) (*Simulator, error) {
	parts, err := newParts(s.parts, state, s.options)
	if err != nil {
		return nil, err
	}
	return &Simulator{options: s.options, state: state, parts: parts}, nil
}

// Do answers an API request.
func (s *Simulator) Do(ctx context.Context, req rest.Request) (_ *Result, err error) {
	ctx, stop := expression.Limited(ctx)
	defer stop(&err)
	return s.answer(ctx, func(server *rest.Server) (rest.Response, error) { return server.Do(ctx, s.state, req) })
}

// Admit answers a request that the server has prepared for admission: both phases of the chain run, and nothing
// is done to the objects in between.
func (s *Simulator) Admit(ctx context.Context, req admission.Request) (_ *Result, err error) {
	ctx, stop := expression.Limited(ctx)
	defer stop(&err)
	return s.answer(ctx, func(server *rest.Server) (rest.Response, error) { return server.Admit(ctx, s.state, req) })
}

// answer has a server answer one request.
func (s *Simulator) answer(ctx context.Context, do func(*rest.Server) (rest.Response, error)) (*Result, error) {
	server, notes, err := s.server(ctx)
	if err != nil {
		return nil, err
	}
	response, err := do(server)
	if unknown := notes.Err(); unknown != nil {
		return nil, unknown
	}
	if err != nil {
		return nil, err
	}
	response.State = notes.In(response.State)
	return s.result(response)
}

// server is who answers one request: one of its own, if it may need webhooks that the server asks beside those of
// admission, which notes what they are asked and stops asking when ctx is done.
func (s *Simulator) server(ctx context.Context) (*rest.Server, *view.Notes, error) {
	if !s.parts.view.AsksWebhooks() {
		return s.parts.server, nil, nil
	}
	o := s.options
	o.conversions, o.authorizations = view.NewConversions(ctx), view.NewNotes(ctx, s.state, o.Now())
	before := *s.parts
	before.view, before.hooks, before.builtIn, before.server = before.view.Unanswered(), before.hooks.Fork(nil), nil, nil
	parts, err := newParts(&before, s.state, o)
	if err != nil {
		return nil, nil, err
	}
	return parts.server, o.authorizations, nil
}

func (s *Simulator) result(r rest.Response) (*Result, error) {
	next, err := s.With(r.State)
	if err != nil {
		return nil, fmt.Errorf("the cluster after the request: %w", err)
	}
	return &Result{Response: r, Next: next}, nil
}

// Resources returns the resources that the cluster serves.
func (s *Simulator) Resources() *discovery.Resources { return s.parts.view.Resources() }

// Authorizer returns the authorizer of the cluster.
func (s *Simulator) Authorizer() authorizer.UnconditionalAuthorizer { return s.parts.view.Authorizer() }

// Authorizes reports whether requests are authorized before admission.
func (s *Simulator) Authorizes() bool { return s.options.authorizes() }

func (o Options) authorizes() bool { return len(o.Authorization) > 0 || o.Authorizers.Config != nil }

// HasBindings reports whether the cluster has role bindings beyond those that every server has.
func (s *Simulator) HasBindings() bool {
	for _, kind := range []string{"ClusterRoleBinding", "RoleBinding"} {
		for range s.state.Written(schema.GroupKind{Group: rbacv1.GroupName, Kind: kind}) {
			return true
		}
	}
	return false
}

// Authorization returns the answer of the authorizers to a request, even if requests are not authorized.
func (s *Simulator) Authorization(ctx context.Context, req rest.Request) (rest.Authorization, error) {
	server, notes, err := s.server(ctx)
	if err != nil {
		return rest.Authorization{}, err
	}
	a, err := server.Authorization(ctx, s.state, req)
	if unknown := notes.Err(); unknown != nil {
		return a, unknown
	}
	return a, err
}

// Allows reports whether the authorizers allow what a request for uri asks about. If they fail, failure is the text that the
// server answers with.
func (s *Simulator) Allows(ctx context.Context, question authorizer.AttributesRecord, uri string) (allowed bool, failure string, err error) {
	server, notes, err := s.server(ctx)
	if err != nil {
		return false, "", err
	}
	allowed, failure = server.Allows(ctx, s.state, question, uri)
	return allowed, failure, notes.Err()
}

// View returns the cluster as the parts of the server see it, which packages of this module need: its types know how
// objects are read and written.
func (s *Simulator) View() *view.View { return s.parts.view }

// kindOf is the kind of an object's JSON. Servers write it in front, where it is found
// without reading the rest; decoding the object as that kind tells if another follows.
func kindOf(data []byte) (schema.GroupVersionKind, error) {
	if rest, ok := bytes.CutPrefix(data, []byte(`{"kind":"`)); ok {
		kind, rest, ok := bytes.Cut(rest, []byte(`","apiVersion":"`))
		version, _, found := bytes.Cut(rest, []byte(`"`))
		if ok && found && !bytes.ContainsAny(kind, `"\\`) && !bytes.ContainsAny(version, `\\`) {
			return schema.FromAPIVersionAndKind(string(version), string(kind)), nil
		}
	}
	var kind metav1.TypeMeta
	err := json.Unmarshal(data, &kind)
	return kind.GroupVersionKind(), err
}

// A NotServedError is about an object of a kind that the cluster does not have.
type NotServedError struct{ Kind schema.GroupVersionKind }

func (e *NotServedError) Error() string { return fmt.Sprintf("%s is not served", e.Kind) }

// Stored reads the JSON of an object, in any version, and returns it as the cluster stores it.
func (s *Simulator) Stored(data []byte) (runtime.Object, error) {
	gvk, err := kindOf(data)
	if err != nil {
		return nil, err
	}
	if _, ok := s.Resources().ForKind(gvk); !ok {
		return nil, &NotServedError{gvk}
	}
	return s.parts.view.Stored(data, gvk)
}

// Select reads what a list or a watch is about. If the server refuses it, Select returns the server's answer
// instead.
func (s *Simulator) Select(ctx context.Context, req rest.Request) (_ *rest.Selection, _ *rest.Response, err error) {
	ctx, stop := expression.Limited(ctx)
	defer stop(&err)
	server, notes, err := s.server(ctx)
	if err != nil {
		return nil, nil, err
	}
	selection, refused, err := server.Select(ctx, s.state, req)
	if unknown := notes.Err(); unknown != nil {
		return nil, nil, unknown
	}
	return selection, refused, err
}

// Authenticate says who shows a token to the server.
func (s *Simulator) Authenticate(token string) (who authenticationv1.UserInfo, ok bool) {
	return s.parts.server.Authenticate(s.state, token)
}

// WithTokens returns the simulator of the same cluster, whose service accounts have tokens.
func (s *Simulator) WithTokens(t rest.Tokens) (*Simulator, error) {
	o, before := s.options, *s.parts
	o.Tokens, before.server = t, nil
	parts, err := newParts(&before, s.state, o)
	if err != nil {
		return nil, err
	}
	return &Simulator{options: o, state: s.state, parts: parts}, nil
}

// Release returns the release that is simulated.
func (s *Simulator) Release() *kubeversion.Release { return s.options.Release }
