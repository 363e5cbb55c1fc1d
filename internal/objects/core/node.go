// kubernetes/kubernetes:pkg/registry/core/node/strategy.go
// kubernetes/kubernetes:pkg/apis/core/v1/defaults.go

package core

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/admsim/admsim/internal/objects/rules"
	"github.com/admsim/admsim/pkg/kubeversion"
)

var node = rules.Of[*corev1.Node]{
	Name: rules.DNSSubdomain,
	Export: func(n *corev1.Node, exact bool, prepare func()) field.ErrorList {
		if prepare(); !exact {
			n.Status = corev1.NodeStatus{}
		}
		return nil
	},
	Defaults: func(n *corev1.Node) {
		if n.Status.Allocatable == nil && n.Status.Capacity != nil {
			n.Status.Allocatable = n.Status.Capacity.DeepCopy()
		}
		rules.RoundUp(n.Status.Capacity, n.Status.Allocatable)
	},
	DefaultsIn: func(n *corev1.Node, o rules.Options) {
		if !o.Release.Has(kubeversion.NodesWithoutExternalID) {
			rules.SetZero(&n.Spec.DoNotUseExternalID, n.Name)
		}
	},
	Normalise: func(n *corev1.Node, _ *kubeversion.Release) {
		switch s := &n.Spec; {
		case s.PodCIDR != "" && (len(s.PodCIDRs) == 0 || s.PodCIDRs[0] != s.PodCIDR):
			s.PodCIDRs = []string{s.PodCIDR}
		case s.PodCIDR == "" && len(s.PodCIDRs) > 0:
			s.PodCIDR = s.PodCIDRs[0]
		}
	},
	PrepareForCreate: func(n *corev1.Node, r rules.Request) {
		if !r.Release.Enabled(kubeletConfig) {
			n.Status.Config = nil
			dropConfigSource(n, r)
		}
		dropNodeFields(n, nil, r)
	},
	PrepareForUpdate: func(n, old *corev1.Node, r rules.Request) {
		if r.Subresource == "status" {
			old.Spec.DeepCopyInto(&n.Spec)
			if old.Status.Config == nil && !r.Release.Enabled(kubeletConfig) {
				n.Status.Config = nil
			}
			return
		}
		old.Status.DeepCopyInto(&n.Status)
		if old.Spec.ConfigSource == nil && !r.Release.Enabled(kubeletConfig) {
			dropConfigSource(n, r)
		}
		dropNodeFields(n, old, r)
	},
	Validate:       validateNode,
	ValidateUpdate: validateNodeUpdate,
	Warnings:       nodeWarnings,
}

// kubeletConfig is a feature gate.
const kubeletConfig = "DynamicKubeletConfig"

func dropConfigSource(n *corev1.Node, r rules.Request) {
	if n.Spec.ConfigSource != nil {
		n.Spec.ConfigSource = nil
		r.Drops("spec.configSource", kubeletConfig)
	}
}

// dropNodeFields drops fields behind gates that are off, unless the old node has them.
func dropNodeFields(n, old *corev1.Node, r rules.Request) {
	if !r.Release.Has(kubeversion.NodesDeclareFeatures) && (old == nil || old.Status.DeclaredFeatures == nil) {
		n.Status.DeclaredFeatures = nil
	}
}
