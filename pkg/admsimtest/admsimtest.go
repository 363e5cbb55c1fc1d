// Package admsimtest tests admission webhooks and policies in go test, without a cluster, a port or a
// certificate.
//
// Start with [New]. It reads the manifests of the webhooks as they would be installed, and gets their handlers.
// Then create, update, patch or delete objects with the [Cluster]. A [Result] is what a kube-apiserver would
// have answered, with every step that led there. A check that fails prints the steps.
//
// Handlers may take real time, at most the timeout of their webhook; results do not show how long they took.
// Test timeouts and failurePolicy with a [Fault], which does not wait.
//
// This is the engine of the command admsim, as in package simulator, in the form of a test.
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
	// Manifests are files and folders with what is in the cluster: webhook configurations, namespaces, CRDs,
	// policies, documents of kind Backends. In a kubebuilder project these are config/crd/bases and
	// config/webhook, or the output of kustomize.
	Manifests []string

	// Objects are in the cluster as well.
	Objects []runtime.Object

	// Handler answers for every webhook that is not in Webhooks. It gets the path of the webhook's clientConfig,
	// so the mux of the real server can be used.
	Handler http.Handler

	// Webhooks answer for single webhooks, by name or by configuration/name, with wildcards. An entry that never
	// matches a webhook of the cluster fails the test.
	Webhooks map[string]Webhook

	// AllowUnanswered makes webhooks without a handler allow everything. Otherwise a request that needs one fails
	// the test.
	AllowUnanswered bool

	// AllowExec permits to run the programs that documents of kind Backends in Manifests name, and AllowNetwork to
	// call webhooks at their real addresses. Otherwise a request that needs one fails the test, so that foreign
	// manifests cannot run programs. Programs get PATH and a few other environment variables, and those in
	// PassEnv.
	AllowExec, AllowNetwork bool
	PassEnv                 []string

	// NoTimeouts waits for webhooks as long as they take, whatever their timeoutSeconds say: for a handler that stands
	// in a debugger. A [Fault] still is one.
	NoTimeouts bool

	// AllowUnknown ignores objects in the manifests whose kind the cluster does not know, such as the Certificates
	// in the output of kustomize, and logs them.
	AllowUnknown bool

	KubernetesVersion string // such as 1.36; empty: the newest
	Plugins           simulator.Plugins

	// Authorization are the modes that authorize requests before admission, as in kube-apiserver's
	// --authorization-mode, such as Node and RBAC. Empty: all requests are allowed.
	Authorization []string
	Authorizers   testcluster.Authorizers // what these need, as in simulator.Options

	// User sends the requests that do not name a user. Zero: a cluster administrator.
	User authenticationv1.UserInfo

	// Controllers are those that run from the first call of [Cluster.RESTConfig] on, as in admsim serve. Nil: all;
	// an empty list: none.
	Controllers []string

	// Scheme knows the kinds of Go types that are not built in. Nil: such objects must have their apiVersion and
	// kind set.
	Scheme *runtime.Scheme
}

// A Cluster answers the requests of one test, each in the state that the one before left. A subtest gets its
// own with [Cluster.For].
type Cluster struct {
	t       testing.TB
	options Options
	inner   *testcluster.Cluster
	given   *given

	mu     sync.Mutex
	sim    *simulator.Simulator
	served *serving.Cluster // for clients; nil: there are none, and sim is the cluster
}

// New returns the cluster of a test. An error ends the test.
func New(t testing.TB, o Options) *Cluster {
	t.Helper()
	c, err := newCluster(t, o)
	if err != nil {
		t.Fatalf("admsimtest: %s", inert.Text(err.Error()))
	}
	return c
}

func newCluster(t testing.TB, o Options) (*Cluster, error) {
	given, err := newGiven(t, o)
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
		First:             given.routes,
		Backends: backends.Options{
			Consent:    o.consent(),
			Unmatched:  given.others(),
			NoTimeouts: o.NoTimeouts,
			Door:       func() backends.Door { return serving.NewDoor(given.warn) },
		},
	})
	for _, one := range warnings {
		t.Logf("admsimtest: warning: %s", inert.Text(one.Error()))
	}
	if err != nil {
		return nil, err
	}
	t.Cleanup(inner.Close)
	c := &Cluster{t: t, options: o, inner: inner, given: given, sim: inner.Simulator()}
	given.meet(c.sim)
	t.Cleanup(c.end)
	return c, nil
}

// consent is what the manifests may do.
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
	c.given.meet(c.now())
	for _, err := range c.given.unmet() {
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
