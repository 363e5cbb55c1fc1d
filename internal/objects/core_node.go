package objects

import (
	corev1 "k8s.io/api/core/v1"

	"github.com/admsim/admsim/pkg/kubeversion"
)

var node = rules[*corev1.Node]{
	name: dnsSubdomain,
	defaults: func(n *corev1.Node) {
		if n.Status.Allocatable == nil && n.Status.Capacity != nil {
			n.Status.Allocatable = n.Status.Capacity.DeepCopy()
		}
		roundUp(n.Status.Capacity, n.Status.Allocatable)
	},
	normalise: func(n *corev1.Node) {
		switch s := &n.Spec; {
		case s.PodCIDR != "" && (len(s.PodCIDRs) == 0 || s.PodCIDRs[0] != s.PodCIDR):
			s.PodCIDRs = []string{s.PodCIDR}
		case s.PodCIDR == "" && len(s.PodCIDRs) > 0:
			s.PodCIDR = s.PodCIDRs[0]
		}
	},
	prepareForCreate: func(n *corev1.Node, r request) {
		n.Spec.ConfigSource, n.Status.Config = nil, nil
		dropNodeFields(n, nil, r)
	},
	prepareForUpdate: func(n, old *corev1.Node, r request) {
		if r.Subresource == "status" {
			old.Spec.DeepCopyInto(&n.Spec)
			if old.Status.Config == nil {
				n.Status.Config = nil
			}
			return
		}
		old.Status.DeepCopyInto(&n.Status)
		if old.Spec.ConfigSource == nil {
			n.Spec.ConfigSource = nil
		}
		dropNodeFields(n, old, r)
	},
	validate:       validateNode,
	validateUpdate: validateNodeUpdate,
	warnings:       nodeWarnings,
}

// dropNodeFields drops what is behind gates that are off, unless the old node has it.
func dropNodeFields(n, old *corev1.Node, r request) {
	if !r.Release.Has(kubeversion.NodesDeclareFeatures) && (old == nil || old.Status.DeclaredFeatures == nil) {
		n.Status.DeclaredFeatures = nil
	}
}
