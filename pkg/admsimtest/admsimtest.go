// Package admsimtest tests admission webhooks and policies with go test, without a cluster, a port or a certificate.
//
// Start with [New], which reads the manifests of the webhooks as they would be installed, and gets the handlers of the
// webhooks. Then create, update, patch or delete objects with the [Cluster]. A [Result] is what kube-apiserver would
// have answered, with every step that led to it. A check that fails prints these steps.
//
// Handlers may take real time, at most the timeout of their webhook; results do not show how long they took. Test
// timeouts and failurePolicy with a [Fault], which does not wait.
//
// The engine is that of the command admsim and of package simulator.
package admsimtest

import (
	"net/http"
	"sync"
	"testing"

	authenticationv1 "k8s.io/api/authentication/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/admsim/admsim/internal/backends"
	"github.com/admsim/admsim/internal/consent"
	"github.com/admsim/admsim/internal/inert"
	"github.com/admsim/admsim/internal/serving"
	"github.com/admsim/admsim/internal/testcluster"
	"github.com/admsim/admsim/pkg/simulator"
)

// Options say what the cluster of a test contains. The zero value is an empty cluster of the newest release.
type Options struct {
	// Manifests are files and folders with the objects of the cluster: webhook configurations, namespaces, CRDs,
	// policies, documents of kind Backends. In a kubebuilder project these are config/crd/bases and config/webhook, or
	// the output of kustomize.
	Manifests []string

	// Objects are added to the cluster as well.
	Objects []runtime.Object

	// Handler answers for every webhook that is not in Webhooks. The path of a request is that of the webhook's
	// clientConfig, so the mux of the real server can be used.
	Handler http.Handler

	// Webhooks answer for single webhooks, by name or by configuration/name, with wildcards. An entry that never
	// matches a webhook of the cluster fails the test.
	Webhooks map[string]Webhook

	// AllowUnanswered makes webhooks without a handler allow everything. Otherwise a request that needs such a webhook
	// fails the test.
	AllowUnanswered bool

	// AllowExec permits running the programs that documents of kind Backends in Manifests name, and AllowNetwork
	// calling webhooks at their real addresses. Otherwise a request that needs this fails the test, so that third-party
	// manifests cannot run programs. Programs get PATH and a few other environment variables, and those in PassEnv.
	AllowExec, AllowNetwork bool
	PassEnv                 []string

	// NoTimeouts waits for webhooks as long as they take, whatever their timeoutSeconds: for handlers that are paused
	// in a debugger. It does not affect a [Fault].
	NoTimeouts bool

	// AllowUnknown ignores and logs objects in the manifests whose kind the cluster does not know, such as Certificates
	// in the output of kustomize.
	AllowUnknown bool

	KubernetesVersion string // such as 1.36; empty: the newest
	Plugins           simulator.Plugins

	// Authorization lists the modes that authorize requests before admission, such as Node and RBAC, as in
	// kube-apiserver's --authorization-mode. Empty: all requests are allowed.
	Authorization []string
	Authorizers   testcluster.Authorizers // the configuration of these modes, as in simulator.Options

	// User sends the requests that do not name a user. Zero: a cluster administrator.
	User authenticationv1.UserInfo

	// Controllers lists the controllers that run after the first call of [Cluster.RESTConfig], as in admsim serve. Nil:
	// all; an empty list: none.
	Controllers []string

	// Scheme knows the kinds of Go types that are not built in. Nil: objects of such types must have their apiVersion
	// and kind set.
	Scheme *runtime.Scheme
}

// A Cluster answers the requests of one test. Each request starts from the state that the previous one left. Use
// [Cluster.For] to get a copy for a subtest.
type Cluster struct {
	t        testing.TB
	options  Options
	inner    *testcluster.Cluster
	handlers *handlers

	mu     sync.Mutex
	sim    *simulator.Simulator
	served *serving.Cluster // for clients; nil: there are none, and sim is the cluster
}

// New returns a cluster for a test. An error ends the test.
func New(t testing.TB, o Options) *Cluster {
	t.Helper()
	c, err := newCluster(t, o)
	if err != nil {
		t.Fatalf("admsimtest: %s", inert.Text(err.Error()))
	}
	return c
}

func newCluster(t testing.TB, o Options) (*Cluster, error) {
	handlers, err := newHandlers(t, o)
	if err != nil {
		return nil, err
	}
	inner, warnings, err := testcluster.New(t.Context(), testcluster.Options{
		Manifests:         o.Manifests,
		Objects:           o.Objects,
		Scheme:            o.Scheme,
		KubernetesVersion: o.KubernetesVersion,
		Plugins:           o.Plugins,
		Authorization:     o.Authorization,
		Authorizers:       o.Authorizers,
		AllowUnknown:      o.AllowUnknown,
		User:              o.User,
		First:             handlers.routes,
		Backends: backends.Options{
			Consent:    o.consent(),
			Unmatched:  handlers.fallback(),
			NoTimeouts: o.NoTimeouts,
			Door:       func() backends.Door { return serving.NewDoor(handlers.warn) },
		},
	})
	for _, one := range warnings {
		t.Logf("admsimtest: warning: %s", inert.Text(one.Error()))
	}
	if err != nil {
		return nil, err
	}
	t.Cleanup(inner.Close)
	c := &Cluster{t: t, options: o, inner: inner, handlers: handlers, sim: inner.Simulator()}
	handlers.note(c.sim)
	t.Cleanup(c.end)
	return c, nil
}

// consent returns what the manifests are allowed to do.
func (o Options) consent() *consent.Policy {
	said := map[bool]consent.Word{false: consent.No, true: consent.Yes}
	return consent.New(consent.Options{Exec: said[o.AllowExec], Network: said[o.AllowNetwork], PassEnv: o.PassEnv, Hint: func(a consent.Act) string {
		if a.IsProgram() {
			return "if the test may run it, set Options.AllowExec"
		}
		return "if the test may connect there, set Options.AllowNetwork"
	}})
}

// end reports entries of Options.Webhooks that never matched a webhook.
func (c *Cluster) end() {
	c.handlers.note(c.now())
	for _, err := range c.handlers.unmatched() {
		c.t.Errorf("admsimtest: %s", inert.Text(err.Error()))
	}
}

func (c *Cluster) now() *simulator.Simulator {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.served != nil {
		return c.served.Store().Latest()
	}
	return c.sim
}
