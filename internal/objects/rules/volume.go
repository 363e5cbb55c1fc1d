// kubernetes/kubernetes:pkg/apis/core/validation/validation.go

package rules

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/admsim/admsim/pkg/kubeversion"
)

// AccessModes checks the access modes of a volume or a claim; old are those of the existing object.
func AccessModes(modes, old []corev1.PersistentVolumeAccessMode, at *field.Path, r *kubeversion.Release) field.ErrorList {
	allowed := r.Has(kubeversion.ReadWriteOncePod) || r.Has(kubeversion.ReadWriteOncePodKnown) && slices.Contains(old, corev1.ReadWriteOncePod)
	return accessModes(modes, allowed, at, r)
}

// InlineAccessModes checks the access modes of a volume within a VolumeAttachment, for which the gate ReadWriteOncePod
// changes nothing.
func InlineAccessModes(modes []corev1.PersistentVolumeAccessMode, at *field.Path, r *kubeversion.Release) field.ErrorList {
	return accessModes(modes, r.Has(kubeversion.ReadWriteOncePodEverywhere), at, r)
}

func accessModes(modes []corev1.PersistentVolumeAccessMode, allowsOncePod bool, at *field.Path, r *kubeversion.Release) field.ErrorList {
	known := []string{"ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce"}
	others := slices.ContainsFunc(modes, func(m corev1.PersistentVolumeAccessMode) bool { return slices.Contains(known, string(m)) })
	if allowsOncePod {
		known = append(known, "ReadWriteOncePod")
	}
	var errs Errors
	for _, m := range modes {
		errs.Add(OneOf(&m, known, at))
	}
	if r.Has(kubeversion.ReadWriteOncePodKnown) && others && slices.Contains(modes, corev1.ReadWriteOncePod) {
		errs.Forbidden(at, "may not use ReadWriteOncePod with other access modes")
	}
	return errs.List()
}

// CSISecrets checks the references to secrets of a CSI volume; old is the existing volume. In earlier releases their names
// had to be labels, and up to 1.24 errors about values did not say which reference they were about.
func CSISecrets(c, old *corev1.CSIPersistentVolumeSource, at *field.Path, r *kubeversion.Release) field.ErrorList {
	if c == nil {
		return nil
	}
	located, check := r.Has(kubeversion.CSISecretPaths), DNS1123Subdomain
	if !r.Has(kubeversion.CSISecretSubdomains) && !(located && hasSubdomain(old)) {
		check = DNS1123Label
	}
	var errs Errors
	for _, ref := range []struct {
		name string
		to   *corev1.SecretReference
	}{
		{"controllerPublishSecretRef", c.ControllerPublishSecretRef}, {"controllerExpandSecretRef", c.ControllerExpandSecretRef},
		{NodePublishRef(r), c.NodePublishSecretRef}, {"nodeExpandSecretRef", c.NodeExpandSecretRef},
	} {
		if ref.to == nil {
			continue
		}
		part := func(name, value string, check func(string) []string) {
			path := at.Child(ref.name, name)
			if value != "" && !located {
				path = at.Child(name)
			}
			errs.Add(Given(path, value, check))
		}
		part("name", ref.to.Name, check)
		part("namespace", ref.to.Namespace, DNS1123Label)
	}
	return errs.List()
}

// hasSubdomain reports whether a CSI volume refers to a secret whose name is not a label.
func hasSubdomain(c *corev1.CSIPersistentVolumeSource) bool {
	if c == nil {
		return false
	}
	refs := []*corev1.SecretReference{c.ControllerExpandSecretRef, c.ControllerPublishSecretRef, c.NodeStageSecretRef, c.NodePublishSecretRef}
	return slices.ContainsFunc(refs, func(ref *corev1.SecretReference) bool {
		return ref != nil && len(DNS1123Label(ref.Name)) > 0 && len(DNS1123Subdomain(ref.Name)) == 0
	})
}

// NodePublishRef returns the name of the field in errors, which was misspelled.
func NodePublishRef(r *kubeversion.Release) string {
	if r.Has(kubeversion.NodePublishRefSpelled) {
		return "nodePublishSecretRef"
	}
	return "nodePublishSecretRef "
}
