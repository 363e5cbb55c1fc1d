package plugins

import (
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/admsim/admsim/pkg/admission"
	"github.com/admsim/admsim/pkg/trace"
)

// isMirror reports whether the pod stands for one that a kubelet runs of its own.
func isMirror(pod *corev1.Pod) bool {
	_, ok := pod.Annotations[corev1.MirrorPodAnnotationKey]
	return ok
}

// mirrorPod refuses a mirror pod that needs anything of the API server, since its kubelet
// started it without asking (SA-40).
func mirrorPod(req admission.Request, pod *corev1.Pod, step trace.Step) trace.Step {
	if pod.Spec.ServiceAccountName != "" {
		return forbid(step, req, "a mirror pod may not reference service accounts")
	}
	if usesSecrets(pod) {
		return forbid(step, req, "a mirror pod may not reference secrets")
	}
	if slices.ContainsFunc(pod.Spec.Volumes, projectsToken) {
		return forbid(step, req, "a mirror pod may not use ServiceAccountToken volume projections")
	}
	return skip(step, "mirror pods have no account")
}

func projectsToken(v corev1.Volume) bool {
	return v.Projected != nil && slices.ContainsFunc(v.Projected.Sources, func(p corev1.VolumeProjection) bool {
		return p.ServiceAccountToken != nil
	})
}

// usesSecrets reports whether the pod names a secret anywhere (SA-41).
func usesSecrets(pod *corev1.Pod) bool {
	if slices.ContainsFunc(pod.Spec.ImagePullSecrets, func(r corev1.LocalObjectReference) bool { return r.Name != "" }) {
		return true
	}
	inEnvironment := func(c corev1.Container) bool { return environmentUsesSecrets(c.Env, c.EnvFrom) }
	inDebugger := func(c corev1.EphemeralContainer) bool { return environmentUsesSecrets(c.Env, c.EnvFrom) }
	return slices.ContainsFunc(pod.Spec.InitContainers, inEnvironment) ||
		slices.ContainsFunc(pod.Spec.Containers, inEnvironment) ||
		slices.ContainsFunc(pod.Spec.EphemeralContainers, inDebugger) ||
		slices.ContainsFunc(pod.Spec.Volumes, volumeUsesSecrets)
}

func environmentUsesSecrets(env []corev1.EnvVar, from []corev1.EnvFromSource) bool {
	return slices.ContainsFunc(env, func(e corev1.EnvVar) bool {
		return e.ValueFrom != nil && e.ValueFrom.SecretKeyRef != nil && e.ValueFrom.SecretKeyRef.Name != ""
	}) || slices.ContainsFunc(from, func(f corev1.EnvFromSource) bool {
		return f.SecretRef != nil && f.SecretRef.Name != ""
	})
}

func volumeUsesSecrets(v corev1.Volume) bool {
	local := func(r *corev1.LocalObjectReference) bool { return r != nil && r.Name != "" }
	switch {
	case v.AzureFile != nil:
		return v.AzureFile.SecretName != ""
	case v.CephFS != nil:
		return local(v.CephFS.SecretRef)
	case v.Cinder != nil:
		return local(v.Cinder.SecretRef)
	case v.FlexVolume != nil:
		return local(v.FlexVolume.SecretRef)
	case v.Projected != nil:
		return slices.ContainsFunc(v.Projected.Sources, func(p corev1.VolumeProjection) bool {
			return p.Secret != nil && p.Secret.Name != ""
		})
	case v.RBD != nil:
		return local(v.RBD.SecretRef)
	case v.Secret != nil:
		return v.Secret.SecretName != ""
	case v.ScaleIO != nil:
		return local(v.ScaleIO.SecretRef)
	case v.ISCSI != nil:
		return local(v.ISCSI.SecretRef)
	case v.StorageOS != nil:
		return local(v.StorageOS.SecretRef)
	case v.CSI != nil:
		return local(v.CSI.NodePublishSecretRef)
	}
	return false
}
