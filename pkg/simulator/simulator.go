// Package simulator is where Go programs start: it joins a Kubernetes release, the objects of a cluster, the admission
// plugins and the backends of webhooks into one [Simulator], which answers requests as kube-apiserver would.
//
// Start with [New], then call [Simulator.Do] for an API request, or [Simulator.Admit] for a request whose objects are
// already prepared, such as a recorded AdmissionReview. Neither changes the simulator, so requests can run
// concurrently. Each [Result] has the simulator of the cluster after the request, for further requests.
//
// The package does not read files, and does not know how a result is shown. Package admsimtest is an easier way to test
// webhooks.
package simulator

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apiserver/pkg/authorization/authorizer"

	"github.com/admsim/admsim/internal/bootstrap"
	"github.com/admsim/admsim/internal/view"
	"github.com/admsim/admsim/pkg/admission"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/discovery"
	"github.com/admsim/admsim/pkg/dispatch"
	"github.com/admsim/admsim/pkg/expression"
	"github.com/admsim/admsim/pkg/kubeversion"
	"github.com/admsim/admsim/pkg/rest"
)

// Options say what is simulated. The zero value is an empty cluster of the default release, in which calling a webhook
// is an error.
type Options struct {
	Release *kubeversion.Release // nil: [kubeversion.Default]
	State   *cluster.State       // nil: an empty cluster
	Plugins Plugins              // zero: the default plugins, without configuration

	// Backends returns the backend of a webhook. Nil: there is none, so a request that needs a webhook cannot be
	// answered.
	Backends func(configuration, webhook string) dispatch.Backend

	// Authorization lists the modes of kube-apiserver's flag --authorization-mode, such as Node and RBAC. A request
	// that they do not allow is refused before admission. Empty: all requests are allowed, and Node and RBAC answer
	// plugins and reviews.
	Authorization []string

	// Authorizers is the configuration of some of these modes: ABAC needs its policies, Webhook the location of the
	// webhook, which is called through Backends like all others.
	Authorizers admission.Authorizers

	// Explain adds every skipped webhook to the trace, with the reason. This takes time in proportion to their number.
	Explain bool

	// Expressions compiles the expressions of the release. Simulators of one release that share it also share compiled
	// expressions. Nil: the simulator creates its own.
	Expressions *expression.Compiler

	// Variables adds every variable of the evaluated policies to the trace, with its value. Otherwise only
	// variables that an expression uses are evaluated.
	Variables bool

	// Tokens creates and verifies the tokens of service accounts. Nil: no token is valid.
	Tokens rest.Tokens

	// Now is the clock, and NewUID the source of UIDs. Nil: a fixed time, and UIDs that count up, so that the same
	// requests have the same results.
	Now    func() time.Time
	NewUID func() types.UID

	conversions    *view.Conversions // of the one request that these options are for
	authorizations *view.Notes       // of the same request
	controllers    bool              // plugins create what controllers would add: see [Simulator.AssumeControllers]

	definitionsKept bool // see [Simulator.KeepDefinitions]
	addressesFreed  bool // see [Simulator.FreeAddresses]
}

// A Simulator answers requests to one cluster in one state. It is immutable.
type Simulator struct {
	options Options
	state   *cluster.State
	parts   *parts
	pages   []*cluster.State // those in which a page of a collection was deleted, up to mostPages
}

// A Result is the answer to one request.
type Result struct {
	rest.Response

	// Next is the simulator of the cluster after the request. Its state is that of the response, unless Failed says what
	// becomes of the cluster: then a create waited in vain, and State still has what the server takes back.
	Next *Simulator
}

// New returns a simulator of a cluster.
func New(o Options) (*Simulator, error) {
	o = o.withDefaults()
	var err error
	if o.Release, err = bootstrap.Started(o.Release, o.Plugins.Enable, o.Plugins.Disable, o.Plugins.Only); err != nil {
		return nil, err
	}
	parts, err := newParts(nil, o.State, o)
	if err != nil {
		return nil, err
	}
	return &Simulator{options: o, state: o.State, parts: parts}, nil
}

// State returns the state of the cluster.
func (s *Simulator) State() *cluster.State { return s.state }

// With returns the simulator of the cluster in another state. Everything that does not depend on the difference is
// shared with s.
func (s *Simulator) With(state *cluster.State) (*Simulator, error) {
	parts, err := newParts(s.parts, state, s.options)
	if err != nil {
		return nil, err
	}
	return &Simulator{options: s.options, state: state, parts: parts, pages: s.pages}, nil
}

// Do answers an API request. A request for the next page of a collection finds the state of the page before, if that was
// deleted by one of the requests that led to s. Otherwise it finds the current state, unless req knows earlier ones.
func (s *Simulator) Do(ctx context.Context, req rest.Request) (_ *Result, err error) {
	ctx, stop := expression.Limited(ctx)
	defer stop(&err)
	if req.Earlier == nil {
		req.Earlier = s.earlier
	}
	result, err := s.answer(ctx, func(server *rest.Server) (rest.Response, error) { return server.Do(ctx, s.state, req) })
	if err == nil && req.Verb == rest.DeleteCollection && req.Query.Has("limit") {
		result.Next.pages = append(slices.Clone(s.pages[max(0, len(s.pages)+1-mostPages):]), s.state)
	}
	return result, err
}

// mostPages limits how many earlier states are kept.
const mostPages = 100

// earlier returns the state at a version in which a page was deleted, or else the current one.
func (s *Simulator) earlier(version int64) (*cluster.State, bool) {
	for _, state := range s.pages {
		if state.Writes() == version {
			return state, true
		}
	}
	return s.state, true
}

// Admit answers a request that the server has prepared for admission. Both phases of the chain run, and the objects are
// not changed in between.
func (s *Simulator) Admit(ctx context.Context, req admission.Request) (_ *Result, err error) {
	ctx, stop := expression.Limited(ctx)
	defer stop(&err)
	return s.answer(ctx, func(server *rest.Server) (rest.Response, error) { return server.Admit(ctx, s.state, req) })
}

// answer lets a server answer one request.
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

// server returns the server for one request. If it may need webhooks other than those of admission, it is a server for
// this request only, which notes the questions to these webhooks and stops calling them when ctx is done.
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
	state := r.State
	if r.Failed != nil {
		state = r.Failed(state)
	}
	next, err := s.With(state)
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

// HasBindings reports whether the cluster has role bindings besides those that every server has.
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

// Allows returns the answer of the authorizers to question, which a request for uri asks. It has no refusal.
func (s *Simulator) Allows(ctx context.Context, question authorizer.AttributesRecord, uri string) (rest.Authorization, error) {
	server, notes, err := s.server(ctx)
	if err != nil {
		return rest.Authorization{}, err
	}
	return server.Allows(ctx, s.state, question, uri), notes.Err()
}

// View returns the cluster as the parts of the server see it. Packages of this module need it: its types know how
// objects are read and written.
func (s *Simulator) View() *view.View { return s.parts.view }

// kindOf returns the kind of an object in JSON. Servers write it first, so it is found without reading the rest. If
// another kind follows, decoding the object reports it.
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

// A NotServedError reports an object whose kind the cluster does not have.
type NotServedError struct{ Kind schema.GroupVersionKind }

func (e *NotServedError) Error() string { return fmt.Sprintf("%s is not served", e.Kind) }

// Stored reads an object from JSON, in any version, and returns it as the cluster stores it.
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

// Select reads the selection of a list or a watch. If the server refuses the request, Select returns the server's
// answer instead.
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

// Authenticate returns the user that a token belongs to, and what using the token adds to the answer of a request: see
// [rest.Server.Authenticate].
func (s *Simulator) Authenticate(token string) (who authenticationv1.UserInfo, ok bool, adds rest.Response) {
	return s.parts.server.Authenticate(s.state, token)
}

// WithTokens returns a simulator of the same cluster that uses t for the tokens of service accounts.
func (s *Simulator) WithTokens(t rest.Tokens) (*Simulator, error) {
	o := s.options
	o.Tokens = t
	return s.reconfigured(o)
}

// KeepDefinitions returns a simulator of the same cluster in which a terminating definition is still there when its last
// custom resource is gone. A controller has to remove it.
func (s *Simulator) KeepDefinitions() (*Simulator, error) {
	o := s.options
	o.definitionsKept = true
	return s.reconfigured(o)
}

// FreeAddresses returns a simulator of the same cluster in which the address of a service is free once its IPAddress is gone,
// until a controller creates it again. Otherwise it stays taken, because a cluster may have been given without IPAddresses.
func (s *Simulator) FreeAddresses() (*Simulator, error) {
	o := s.options
	o.addressesFreed = true
	return s.reconfigured(o)
}

// reconfigured returns a simulator of the same cluster whose server has other options.
func (s *Simulator) reconfigured(o Options) (*Simulator, error) {
	before := *s.parts
	before.server = nil
	parts, err := newParts(&before, s.state, o)
	if err != nil {
		return nil, err
	}
	return &Simulator{options: o, state: s.state, parts: parts}, nil
}

// Release returns the simulated release.
func (s *Simulator) Release() *kubeversion.Release { return s.options.Release }

// Now returns the time of the simulated server.
func (s *Simulator) Now() time.Time { return s.options.Now() }
