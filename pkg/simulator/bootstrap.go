package simulator

import (
	"github.com/admsim/admsim/internal/bootstrap"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// Bootstrap is the cluster that a kube-apiserver of the default release makes for itself when it
// starts, before any controller ran: its namespaces, priority classes, roles and bindings.
func Bootstrap() *cluster.State { return BootstrapOf(kubeversion.Default()) }

// BootstrapOf is [Bootstrap] for another release, whose roles may be others.
func BootstrapOf(r *kubeversion.Release) *cluster.State { return bootstrap.State(r) }
