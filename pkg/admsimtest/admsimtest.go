// Package admsimtest has admission webhooks tested inside somebody's go test: no cluster,
// no port, no certificate.
//
// Start with [New], which reads the manifests of the webhooks as they would be installed
// and is given their handlers, then ask it to create, update, patch or delete objects.
// What comes back is what a kube-apiserver would have answered, with every step that led
// there; a check that fails prints them.
//
// It is the engine of the command, see packages world and simulator. What admsimtest adds
// is the shape of a test.
package admsimtest

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"sync"
	"testing"

	admissionv1 "k8s.io/api/admission/v1"
	authenticationv1 "k8s.io/api/authentication/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/admsim/admsim/pkg/admission"
	"github.com/admsim/admsim/pkg/dispatch"
	"github.com/admsim/admsim/pkg/expression"
	"github.com/admsim/admsim/pkg/kubeversion"
	"github.com/admsim/admsim/pkg/scenario"
	"github.com/admsim/admsim/pkg/simulator"
	"github.com/admsim/admsim/pkg/world"
)

// Options say what a test finds. The zero value is an empty cluster of the newest release.
type Options struct {
	// Manifests are files and folders of what is in the cluster: webhook configurations,
	// namespaces, CRDs, policies, documents of kind Backends. Of a kubebuilder project these
	// are config/crd/bases and config/webhook, or the output of kustomize.
	Manifests []string

	// Objects are in the cluster beside them.
	Objects []runtime.Object

	// Handler answers for every webhook that Webhooks does not name. It sees the path of
	// the webhook's clientConfig, so that a mux with the paths of the real server will do.
	Handler http.Handler

	// Webhooks answer for single webhooks: by name or configuration/name, globs allowed.
	Webhooks map[string]Webhook

	// AllowUnanswered lets webhooks that nobody answers for allow everything. Without it a
	// request that needs one fails the test.
	AllowUnanswered bool

	// AllowUnknown drops from the manifests what the cluster does not know, with a line in the
	// log of the test, such as the Certificates in the output of kustomize.
	AllowUnknown bool

	KubernetesVersion string // such as 1.36; empty: the newest one
	Plugins           simulator.Plugins

	// User asks where a request does not say who. Zero: a cluster administrator.
	User authenticationv1.UserInfo

	// Scheme knows the kinds of the user's own types. Nil: an object of such a type has to
	// say its kind itself.
	Scheme *runtime.Scheme
}

// A Webhook answers for a webhook of the manifests: a [Handler], a [Func], or what
// package dispatch has beside them, such as mocks and faults.
type Webhook = dispatch.Backend

// Handler is the webhook that a handler is, for [Options].Webhooks.
func Handler(h http.Handler) Webhook { return dispatch.Handler(h) }

// Func is a webhook that is a plain function over the admission types.
func Func(decide func(context.Context, *admissionv1.AdmissionRequest) *admissionv1.AdmissionResponse) Webhook {
	return dispatch.Func(decide)
}

// A Cluster answers the requests of one test, each as the one before left it.
type Cluster struct {
	t       testing.TB
	options Options
	world   *world.World

	mu  sync.Mutex
	sim *simulator.Simulator
}

// New returns the cluster of a test. What is wrong with it ends the test.
func New(t testing.TB, o Options) *Cluster {
	t.Helper()
	c, err := newCluster(t, o)
	if err != nil {
		t.Fatalf("admsimtest: %v", err)
	}
	return c
}

func newCluster(t testing.TB, o Options) (*Cluster, error) {
	if o.User.Username == "" {
		o.User = admission.Administrator()
	}
	release := kubeversion.Default()
	if o.KubernetesVersion != "" {
		var err error
		if release, err = kubeversion.Parse(o.KubernetesVersion); err != nil {
			return nil, err
		}
	}
	bag, err := load(o)
	if err != nil {
		return nil, err
	}
	backends, err := world.NewBackends(t.Context(), bag.Backends, world.BackendOptions{
		Expressions: expression.New(release),
		Objects:     bag.Objects,
		Unmatched:   unanswered(o),
	})
	if err != nil {
		return nil, err
	}
	t.Cleanup(backends.Close)
	answering, err := handlers(o, backends)
	if err != nil {
		return nil, err
	}
	w, warnings, err := world.New(bag.Objects, world.Options{
		Release:     release,
		Plugins:     o.Plugins,
		Backends:    answering,
		Controllers: true,

		IgnoreUnknown: o.AllowUnknown,
	})
	for _, one := range warnings {
		t.Logf("admsimtest: warning: %v", one)
	}
	if err != nil {
		return nil, err
	}
	return &Cluster{t: t, options: o, world: w, sim: w.Simulator()}, nil
}

// load reads the manifests and the objects.
func load(o Options) (scenario.Bag, error) {
	found, err := scenario.Load(o.Manifests, scenario.Options{})
	if err != nil {
		return scenario.Bag{}, err
	}
	for i, object := range o.Objects {
		data, err := encode(object, o.Scheme)
		if err != nil {
			return scenario.Bag{}, fmt.Errorf("object %d: %w", i+1, err)
		}
		one, err := scenario.Parse(fmt.Sprintf("object %d", i+1), data)
		if err != nil {
			return scenario.Bag{}, err
		}
		found = append(found, one...)
	}
	return scenario.Sort(found, scenario.Options{})
}

// unanswered is who answers where nobody else does.
func unanswered(o Options) dispatch.Backend {
	switch {
	case o.Handler != nil:
		return dispatch.Handler(o.Handler)
	case o.AllowUnanswered:
		return &dispatch.Mock{}
	}
	return nil
}

// handlers puts the webhooks of the test before those that manifests declare.
func handlers(o Options, declared *world.Backends) (func(configuration, webhook string) dispatch.Backend, error) {
	routes := make([]dispatch.Route, 0, len(o.Webhooks))
	for _, name := range sorted(o.Webhooks) {
		routes = append(routes, dispatch.Route{Webhook: name, Backend: o.Webhooks[name]})
	}
	given, err := dispatch.NewBackends(routes...)
	if err != nil {
		return nil, err
	}
	return func(configuration, webhook string) dispatch.Backend {
		if given.Declares(configuration, webhook) {
			return given.Backend(configuration, webhook)
		}
		return declared.Backend(configuration, webhook)
	}, nil
}

// encode is an object as JSON with its kind.
func encode(object runtime.Object, s *runtime.Scheme) ([]byte, error) {
	data, err := json.Marshal(object)
	if err != nil || !object.GetObjectKind().GroupVersionKind().Empty() {
		return data, err
	}
	kind, err := kindOf(object, s)
	if err != nil {
		return nil, err
	}
	var whole map[string]any
	if err := json.Unmarshal(data, &whole); err != nil {
		return nil, err
	}
	whole["apiVersion"], whole["kind"] = kind.GroupVersion().String(), kind.Kind
	return json.Marshal(whole)
}
