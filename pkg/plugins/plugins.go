// Package plugins is the built-in admission plugins, a file each.
//
// All of them are reached by name, through [New]. To add one, write its file, add its row to
// documentation_today.go, and see that kubeversion knows its place in the chain. The order of plugins is
// none of their business. Webhooks and policies, which are plugins too, have packages of their own.
package plugins

import (
	"context"
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/authorization/authorizer"

	"github.com/admsim/admsim/internal/objects"
	"github.com/admsim/admsim/pkg/chain"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/discovery"
	"github.com/admsim/admsim/pkg/dispatch"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// Options are what plugins work with. All but Configuration must be set.
type Options struct {
	Release    *kubeversion.Release
	Resources  *discovery.Resources
	Types      *objects.Types
	Authorizer authorizer.UnconditionalAuthorizer
	Backends   func(configuration, webhook string) dispatch.Backend
	Create     Create

	Now    func() time.Time
	Suffix func() string // completes a generated name

	// Configuration is the plugin's own part of the admission configuration, as JSON; nil
	// if there is none.
	Configuration []byte
}

// Create has the server create an object for a plugin, as a request of its own and of the
// server's: created is what was written, refused why nothing was.
type Create func(ctx context.Context, s *cluster.State, object runtime.Object) (created cluster.Object, refused *metav1.Status, err error)

// plain makes a plugin that needs nothing.
func plain(p any) func(Options) (any, error) {
	return func(Options) (any, error) { return p, nil }
}

// New returns the plugin of that name. ok reports whether admsim has it.
func New(name string, o Options) (p chain.Plugin, ok bool, err error) {
	d, _ := Documented(name)
	if d.make == nil {
		return chain.Plugin{}, false, nil
	}
	made, err := d.make(o)
	if err != nil {
		return chain.Plugin{}, true, fmt.Errorf("%s: %w", name, err)
	}
	p.Name = name
	p.Mutator, _ = made.(chain.Mutator)
	p.Validator, _ = made.(chain.Validator)
	return p, true, nil
}
