package authorization

import (
	"cmp"
	"iter"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"
)

// The names in a pod, including empty ones: kubernetes/kubernetes:pkg/api/v1/pod/util.go.

// environments yields the environment variables of all containers of a pod.
func environments(pod *corev1.Pod) iter.Seq2[[]corev1.EnvVar, []corev1.EnvFromSource] {
	return func(yield func([]corev1.EnvVar, []corev1.EnvFromSource) bool) {
		for _, c := range pod.Spec.InitContainers {
			if !yield(c.Env, c.EnvFrom) {
				return
			}
		}
		for _, c := range pod.Spec.Containers {
			if !yield(c.Env, c.EnvFrom) {
				return
			}
		}
		for _, c := range pod.Spec.EphemeralContainers {
			if !yield(c.Env, c.EnvFrom) {
				return
			}
		}
	}
}

// configMapNames yields the config maps that a pod refers to.
func configMapNames(pod *corev1.Pod) iter.Seq[string] {
	return func(yield func(string) bool) {
		for env, from := range environments(pod) {
			for _, f := range from {
				if f.ConfigMapRef != nil && !yield(f.ConfigMapRef.Name) {
					return
				}
			}
			for _, e := range env {
				if e.ValueFrom != nil && e.ValueFrom.ConfigMapKeyRef != nil && !yield(e.ValueFrom.ConfigMapKeyRef.Name) {
					return
				}
			}
		}
		for _, v := range pod.Spec.Volumes {
			if v.ConfigMap != nil && !yield(v.ConfigMap.Name) {
				return
			}
			if v.Projected == nil {
				continue
			}
			for _, source := range v.Projected.Sources {
				if source.ConfigMap != nil && !yield(source.ConfigMap.Name) {
					return
				}
			}
		}
	}
}

// secretNames yields the secrets that a pod refers to.
func secretNames(pod *corev1.Pod) iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, s := range pod.Spec.ImagePullSecrets {
			if !yield(s.Name) {
				return
			}
		}
		for env, from := range environments(pod) {
			for _, f := range from {
				if f.SecretRef != nil && !yield(f.SecretRef.Name) {
					return
				}
			}
			for _, e := range env {
				if e.ValueFrom != nil && e.ValueFrom.SecretKeyRef != nil && !yield(e.ValueFrom.SecretKeyRef.Name) {
					return
				}
			}
		}
		for i := range pod.Spec.Volumes {
			for _, name := range volumeSecretNames(&pod.Spec.Volumes[i].VolumeSource) {
				if !yield(name) {
					return
				}
			}
		}
	}
}

func volumeSecretNames(v *corev1.VolumeSource) (names []string) {
	local := func(ref *corev1.LocalObjectReference) {
		if ref != nil {
			names = append(names, ref.Name)
		}
	}
	switch {
	case v.AzureFile != nil:
		names = append(names, v.AzureFile.SecretName)
	case v.CephFS != nil:
		local(v.CephFS.SecretRef)
	case v.Cinder != nil:
		local(v.Cinder.SecretRef)
	case v.FlexVolume != nil:
		local(v.FlexVolume.SecretRef)
	case v.Projected != nil:
		for _, source := range v.Projected.Sources {
			if source.Secret != nil {
				names = append(names, source.Secret.Name)
			}
		}
	case v.RBD != nil:
		local(v.RBD.SecretRef)
	case v.Secret != nil:
		names = append(names, v.Secret.SecretName)
	case v.ScaleIO != nil:
		local(v.ScaleIO.SecretRef)
	case v.ISCSI != nil:
		local(v.ISCSI.SecretRef)
	case v.StorageOS != nil:
		local(v.StorageOS.SecretRef)
	case v.CSI != nil:
		local(v.CSI.NodePublishSecretRef)
	}
	return names
}

// claimNames yields the claims of a pod's volumes. The claim of an ephemeral volume is named after the pod and the
// volume.
func claimNames(pod *corev1.Pod) iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, v := range pod.Spec.Volumes {
			switch {
			case v.PersistentVolumeClaim != nil:
				if !yield(v.PersistentVolumeClaim.ClaimName) {
					return
				}
			case v.Ephemeral != nil:
				if !yield(pod.Name + "-" + v.Name) {
					return
				}
			}
		}
	}
}

// resourceClaimNames yields the resource claims that a pod refers to or that were created for it:
// kubernetes/dynamic-resource-allocation:resourceclaim/pod.go.
func resourceClaimNames(pod *corev1.Pod) iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, c := range pod.Spec.ResourceClaims {
			if name, ok := resourceClaimName(pod, c); ok && !yield(name) {
				return
			}
		}
		if s := pod.Status.ExtendedResourceClaimStatus; s != nil && s.ResourceClaimName != "" {
			yield(s.ResourceClaimName)
		}
	}
}

// resourceClaimName returns the name of one claim. If the claim is created from a template, its name is in the pod's
// status.
func resourceClaimName(pod *corev1.Pod, c corev1.PodResourceClaim) (string, bool) {
	if c.ResourceClaimName != nil {
		return *c.ResourceClaimName, true
	}
	if c.ResourceClaimTemplateName == nil {
		return "", false
	}
	for _, s := range pod.Status.ResourceClaimStatuses {
		if s.Name == c.Name && s.ResourceClaimName != nil {
			return *s.ResourceClaimName, true
		}
	}
	return "", false
}

// volumeSecrets returns the secrets that a kubelet needs for a volume:
// kubernetes/kubernetes:pkg/api/v1/persistentvolume/util.go.
func volumeSecrets(volume *corev1.PersistentVolume) (secrets []corev1.SecretReference) {
	ofClaim := ""
	if volume.Spec.ClaimRef != nil {
		ofClaim = volume.Spec.ClaimRef.Namespace
	}
	add := func(ref *corev1.SecretReference, namespace string) {
		if ref != nil {
			secrets = append(secrets, corev1.SecretReference{Namespace: cmp.Or(ref.Namespace, namespace), Name: ref.Name})
		}
	}
	switch v := volume.Spec.PersistentVolumeSource; {
	case v.AzureFile != nil:
		add(&corev1.SecretReference{Namespace: ptr.Deref(v.AzureFile.SecretNamespace, ""), Name: v.AzureFile.SecretName}, ofClaim)
	case v.CephFS != nil:
		add(v.CephFS.SecretRef, ofClaim)
	case v.Cinder != nil:
		add(v.Cinder.SecretRef, "")
	case v.FlexVolume != nil:
		add(v.FlexVolume.SecretRef, ofClaim)
	case v.RBD != nil:
		add(v.RBD.SecretRef, ofClaim)
	case v.ScaleIO != nil:
		add(v.ScaleIO.SecretRef, ofClaim)
	case v.ISCSI != nil:
		add(v.ISCSI.SecretRef, ofClaim)
	case v.StorageOS != nil && v.StorageOS.SecretRef != nil:
		add(&corev1.SecretReference{Namespace: v.StorageOS.SecretRef.Namespace, Name: v.StorageOS.SecretRef.Name}, "")
	case v.CSI != nil:
		add(v.CSI.NodePublishSecretRef, "")
		add(v.CSI.NodeStageSecretRef, "")
		add(v.CSI.NodeExpandSecretRef, "")
	}
	return secrets
}
