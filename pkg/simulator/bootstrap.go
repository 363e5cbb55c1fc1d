package simulator

import (
	"github.com/admsim/admsim/internal/bootstrap"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// Bootstrap returns the cluster that a kube-apiserver of the default release creates when it starts, before any
// controller runs: its namespaces, priority classes, roles and bindings.
func Bootstrap() *cluster.State { return BootstrapOf(kubeversion.Default()) }

// BootstrapOf is like [Bootstrap] for another release, which may have other roles.
func BootstrapOf(r *kubeversion.Release) *cluster.State { return bootstrap.State(r) }
