// kubernetes/kubernetes:pkg/apis/core/validation/validation.go
// kubernetes/kubernetes:pkg/registry/core/namespace/strategy.go

package core

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	utilvalidation "k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/admsim/admsim/internal/objects/rules"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// The finalizers of a namespace are only changed through its subresource finalize, and its phase only through status;
// an update of status also changes labels and annotations (PL-14).
var namespace = rules.Of[*corev1.Namespace]{
	Name: rules.NamespaceName,
	Defaults: func(n *corev1.Namespace) {
		rules.SetZero(&n.Status.Phase, corev1.NamespaceActive)
		labelNamespace(n)
	},
	PrepareForCreate: func(n *corev1.Namespace, _ rules.Request) {
		n.Status = corev1.NamespaceStatus{Phase: corev1.NamespaceActive}
		if !slices.Contains(n.Spec.Finalizers, corev1.FinalizerKubernetes) {
			n.Spec.Finalizers = append(n.Spec.Finalizers, corev1.FinalizerKubernetes)
		}
		labelNamespace(n) // the name may be generated (DF-13)
	},
	PrepareForUpdate: func(n, old *corev1.Namespace, r rules.Request) {
		if r.Subresource != "finalize" {
			old.Spec.DeepCopyInto(&n.Spec)
		}
		if r.Subresource != "status" {
			old.Status.DeepCopyInto(&n.Status)
		}
	},
	Validate: func(n *corev1.Namespace, _ rules.Request) field.ErrorList {
		var errs rules.Errors
		for _, f := range n.Spec.Finalizers {
			errs.Add(namespaceFinalizer(f, namespaceFinalizers))
		}
		return errs.List()
	},
	ValidateUpdate: validateNamespaceUpdate,
}

var namespaceFinalizers = field.NewPath("spec", "finalizers")

func validateNamespaceUpdate(n, _ *corev1.Namespace, r rules.Request) field.ErrorList {
	switch r.Subresource {
	case "finalize":
		return rules.EachOf(n.Spec.Finalizers, -1, namespaceFinalizers, namespaceFinalizer)
	case "status":
		at := field.NewPath("status", "Phase")
		if n.DeletionTimestamp == nil {
			return rules.Unless(n.Status.Phase == corev1.NamespaceActive, at, n.Status.Phase, "may only be 'Active' if `deletionTimestamp` is empty")
		}
		return rules.Unless(n.Status.Phase == corev1.NamespaceTerminating, at, n.Status.Phase, "may only be 'Terminating' if `deletionTimestamp` is not empty")
	}
	return nil
}

// labelNamespace sets the label by which selectors find a namespace by name.
func labelNamespace(n *corev1.Namespace) {
	if n.Name == "" || n.Labels[corev1.LabelMetadataName] == n.Name {
		return
	}
	if n.Labels == nil {
		n.Labels = map[string]string{}
	}
	n.Labels[corev1.LabelMetadataName] = n.Name
}

func namespaceFinalizer(f corev1.FinalizerName, path *field.Path) field.ErrorList {
	var errs rules.Errors
	for _, wrong := range utilvalidation.IsQualifiedName(string(f)) {
		errs.Invalid(path, string(f), wrong)
	}
	errs.Add(rules.KnownFinalizer(string(f), path))
	return errs.List()
}

const mountableSecrets = "kubernetes.io/enforce-mountable-secrets"

var serviceAccount = rules.Of[*corev1.ServiceAccount]{
	Name:             rules.DNSSubdomain,
	PrepareForCreate: func(a *corev1.ServiceAccount, _ rules.Request) { keepSecretNames(a) },
	PrepareForUpdate: func(a, _ *corev1.ServiceAccount, _ rules.Request) { keepSecretNames(a) },
	WarnsSince:       kubeversion.MountableSecretsWarnings,
	Warnings: func(a, old *corev1.ServiceAccount, _ rules.Request) []string {
		if !rules.Has(a.Annotations, mountableSecrets) || old != nil && rules.Has(old.Annotations, mountableSecrets) {
			return nil
		}
		return []string{`metadata.annotations[` + mountableSecrets + `]: deprecated in v1.32+; prefer separate namespaces to isolate access to mounted secrets`}
	},
}

// keepSecretNames reduces references to secrets to their names.
func keepSecretNames(a *corev1.ServiceAccount) {
	for i, s := range a.Secrets {
		a.Secrets[i] = corev1.ObjectReference{Name: s.Name}
	}
}
