// Package testcluster is the cluster of a Go test. It is built from the manifests of a project and from Go objects, and
// answers requests about Go objects.
//
// Start with [New], then [Cluster.Create] and [Cluster.Answer]. The package knows neither package testing, nor how an
// answer is checked.
package testcluster

import (
	"context"
	"fmt"

	authenticationv1 "k8s.io/api/authentication/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/admsim/admsim/internal/answer"
	"github.com/admsim/admsim/internal/backends"
	"github.com/admsim/admsim/internal/scenario"
	"github.com/admsim/admsim/internal/world"
	"github.com/admsim/admsim/internal/worlds"
	"github.com/admsim/admsim/pkg/admission"
	"github.com/admsim/admsim/pkg/dispatch"
	"github.com/admsim/admsim/pkg/kubeversion"
	"github.com/admsim/admsim/pkg/report"
	"github.com/admsim/admsim/pkg/simulator"
)

// Authorizers holds the settings of authorizers.
type Authorizers = admission.Authorizers

// Options configure a cluster. The zero value is an empty cluster of the newest release.
type Options struct {
	Manifests []string // files and folders
	Objects   []runtime.Object
	Scheme    *runtime.Scheme // knows the kinds of Go types that are not built in; may be nil

	KubernetesVersion string // empty: the newest
	Plugins           simulator.Plugins
	Authorization     []string
	Authorizers       Authorizers
	AllowUnknown      bool                      // ignore kinds in manifests that the cluster does not know
	User              authenticationv1.UserInfo // of requests that name none; zero: a cluster administrator

	// First answers for the webhooks that it declares, before those that manifests declare.
	First *dispatch.Backends

	// Backends configures how other webhooks are reached. Its settings about the cluster are overwritten.
	Backends backends.Options
}

// A Cluster answers requests.
type Cluster struct {
	User authenticationv1.UserInfo // of requests that name no user

	loaded *worlds.Loaded
	scheme *runtime.Scheme
}

// New returns a cluster, which the caller must close. The warnings are about its manifests, also if there is an error.
func New(ctx context.Context, o Options) (c *Cluster, warnings []*scenario.Error, err error) {
	if o.User.Username == "" {
		o.User = admission.Administrator()
	}
	release := kubeversion.Default()
	if o.KubernetesVersion != "" {
		if release, err = kubeversion.Parse(o.KubernetesVersion); err != nil {
			return nil, nil, err
		}
	}
	bag, err := load(o)
	if err != nil {
		return nil, nil, err
	}
	c = &Cluster{User: o.User, scheme: o.Scheme}
	c.loaded, warnings, err = worlds.NewLoaded(ctx, bag, worlds.Options{
		World: world.Options{
			Release:       release,
			Plugins:       o.Plugins,
			Controllers:   true,
			IgnoreUnknown: o.AllowUnknown,
			Authorization: scenario.Authorization{Modes: o.Authorization, Authorizers: o.Authorizers},
		},
		Backends: o.Backends,
		First:    o.First,
	})
	if err != nil {
		c.Close()
		return nil, warnings, err
	}
	return c, warnings, nil
}

// Close ends the programs that answer for webhooks.
func (c *Cluster) Close() {
	if c.loaded.Backends != nil {
		c.loaded.Backends.Close()
	}
}

// Simulator returns the cluster before any request.
func (c *Cluster) Simulator() *simulator.Simulator { return c.loaded.Simulator() }

// load reads the manifests and the objects.
func load(o Options) (scenario.Bag, error) {
	found, err := scenario.Load(o.Manifests, scenario.Options{})
	if err != nil {
		return scenario.Bag{}, err
	}
	for i, object := range o.Objects {
		data, err := Encode(object, o.Scheme)
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

// An Answer is the server's answer to a request.
type Answer struct {
	*simulator.Result
	Found *simulator.Simulator // the cluster before the request

	asked world.Asked
}

// Answer answers a request in the cluster that earlier requests left.
func (c *Cluster) Answer(ctx context.Context, sim *simulator.Simulator, r scenario.Request) (a Answer, err error) {
	a.Found = sim
	if a.asked, err = c.loaded.Ask(sim, r, scenario.Defaults{User: c.User}); err != nil {
		return a, err
	}
	a.Result, err = a.asked.Answer(ctx)
	return a, err
}

// Document returns the answer as admsim run -o json prints it.
func (a Answer) Document() (*report.Result, error) {
	shown, err := answer.Usual(a.asked, a.Result, nil)
	if err != nil {
		return nil, fmt.Errorf("showing the answer: %w", err)
	}
	return shown.Result, nil
}
