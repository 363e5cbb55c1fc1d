package access

import (
	"maps"
	"slices"
	"strings"

	admissionv1 "k8s.io/api/admission/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"

	"github.com/admsim/admsim/internal/plugins/plugin"
	"github.com/admsim/admsim/internal/semantic"
	"github.com/admsim/admsim/pkg/kubeversion"
	"github.com/admsim/admsim/pkg/trace"
)

// nodes checks requests for nodes: a kubelet registers its own node and reports its status, but may not change what
// decides which pods run there (NR-40 to NR-48).
func (r nodeRequest) nodes() (trace.Step, error) {
	name := r.Name
	if m, err := meta.Accessor(r.Object); r.Operation == admissionv1.Create && err == nil && m.GetName() != "" {
		name = m.GetName()
	}
	if name != r.node {
		return r.forbid(r.words("node %q is not allowed to modify node %q", "node %q cannot modify node %q"), r.node, name), nil
	}
	if r.Operation == admissionv1.Delete {
		return r.fine()
	}
	node, err := plugin.ObjectOf[*corev1.Node](r.Request)
	if err != nil {
		return r.step, err
	}
	if r.Operation == admissionv1.Create {
		return r.createNode(node)
	}
	return r.updateNode(node)
}

func (r nodeRequest) createNode(node *corev1.Node) (trace.Step, error) {
	if node.Spec.ConfigSource != nil {
		if !r.release.Has(kubeversion.NodesNotAllowed) {
			return r.forbid("cannot create with non-nil configSource"), nil
		}
		return r.forbid("node %q is not allowed to create pods with a non-nil configSource", r.node), nil
	}
	if wrong := r.forbiddenLabels(node.Labels, nil, r.release.Has(kubeversion.NewNodeLabels)); len(wrong) > 0 {
		if !r.release.Has(kubeversion.NodesNotAllowed) {
			return r.forbid("cannot set labels: %s", strings.Join(wrong, ", ")), nil
		}
		return r.forbid("node %q is not allowed to set the following labels: %s", r.node, strings.Join(wrong, ", ")), nil
	}
	return r.fine()
}

func (r nodeRequest) updateNode(node *corev1.Node) (trace.Step, error) {
	old, err := plugin.OldObjectOf[*corev1.Node](r.Request)
	if err != nil {
		return r.step, err
	}
	source := node.Spec.ConfigSource
	switch {
	case source != nil && !semantic.DeepEqual(source, old.Spec.ConfigSource):
		return r.forbidNamed("update configSource to a new non-nil configSource"), nil
	case !semantic.DeepEqual(node.Spec.Taints, old.Spec.Taints) && r.release.Has(kubeversion.NodeTaintsKept):
		return r.forbidNamed("modify taints"), nil
	case r.release.Has(kubeversion.NodeOwnersKept) && !semantic.DeepEqual(node.OwnerReferences, old.OwnerReferences):
		return r.forbid("node %q is not allowed to modify ownerReferences", r.node), nil
	}
	if wrong := r.forbiddenLabels(node.Labels, old.Labels, true); len(wrong) > 0 {
		return r.forbid(r.words("is not allowed to modify labels: %s", "cannot modify labels: %s"), strings.Join(wrong, ", ")), nil
	}
	return r.fine()
}

// words returns the wording of the release: older ones say "cannot" instead of "is not allowed to".
func (r nodeRequest) words(now, before string) string {
	if r.release.Has(kubeversion.NodesNotAllowed) {
		return now
	}
	return before
}

// forbidNamed forbids something. Since 1.13 the message names the node.
func (r nodeRequest) forbidNamed(what string) trace.Step {
	if !r.release.Has(kubeversion.NodeLabelsKept) {
		return r.forbid("cannot %s", what)
	}
	return r.forbid(r.words("node %q is not allowed to %s", "node %q cannot %s"), r.node, what)
}

// forbiddenLabels returns, in order, the keys of labels that differ and that a kubelet must not set. See
// isForbiddenLabel for all.
func (r nodeRequest) forbiddenLabels(now, before map[string]string, all bool) []string {
	if !r.release.Has(kubeversion.NodeLabelsKept) {
		return nil
	}
	keys := map[string]bool{}
	for key, value := range now {
		if had, ok := before[key]; !ok || had != value {
			keys[key] = true
		}
	}
	for key := range before {
		if _, has := now[key]; !has {
			keys[key] = true
		}
	}
	return slices.DeleteFunc(slices.Sorted(maps.Keys(keys)), func(key string) bool { return !isForbiddenLabel(key, all, r.release) })
}

// isForbiddenLabel reports whether a label belongs to Kubernetes and not to the kubelet (NR-46). If all is false, only
// the labels that isolate nodes do.
func isForbiddenLabel(key string, all bool, release *kubeversion.Release) bool {
	domain, _, qualified := strings.Cut(key, "/")
	if !qualified {
		return false
	}
	if under(domain, corev1.LabelNamespaceNodeRestriction) {
		return true
	}
	return all && (under(domain, "kubernetes.io") || under(domain, "k8s.io")) && !isKubeletLabel(key, domain, release)
}

// isKubeletLabel reports whether a label is one that kubelets set (NR-47:
// kubernetes/kubelet:pkg/apis/well_known_labels.go).
func isKubeletLabel(key, domain string, release *kubeversion.Release) bool {
	switch key {
	case corev1.LabelHostname, corev1.LabelOSStable, corev1.LabelArchStable, "beta.kubernetes.io/os", "beta.kubernetes.io/arch",
		corev1.LabelInstanceType, corev1.LabelInstanceTypeStable, corev1.LabelFailureDomainBetaZone, corev1.LabelFailureDomainBetaRegion:
		return true
	case corev1.LabelTopologyZone, corev1.LabelTopologyRegion:
		return release.Has(kubeversion.KubeletsSetTopology)
	case "failure-domain.kubernetes.io/zone", "failure-domain.kubernetes.io/region", "kubernetes.io/instance-type":
		return !release.Has(kubeversion.KubeletsSetTopology) // the names that were planned for them
	}
	return under(domain, "kubelet.kubernetes.io") || under(domain, "node.kubernetes.io")
}

// under reports whether domain is parent or below it.
func under(domain, parent string) bool {
	return domain == parent || strings.HasSuffix(domain, "."+parent)
}
