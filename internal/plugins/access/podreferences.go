package access

import (
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/admsim/admsim/internal/plugins/plugin"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// referenceOf returns the kind of API object that a pod refers to: the first one found in this order, or "" for none. A
// volume of unknown type is an error (NR-19: kubernetes/kubernetes:pkg/api/pod/util.go).
func referenceOf(pod *corev1.Pod, release *kubeversion.Release) (what string, err error) {
	named := plugin.NamedIn(release)
	if !release.Has(kubeversion.AnyReferenceRefused) {
		return fewReferencesOf(pod, release, named), nil
	}
	switch {
	case pod.Spec.ServiceAccountName != "":
		return "serviceaccounts", nil
	case plugin.UsesSecrets(pod, named):
		return "secrets", nil
	case usesConfigMaps(pod, named):
		return "configmaps", nil
	case len(pod.Spec.ResourceClaims) > 0:
		return "resourceclaims", nil
	}
	for _, v := range pod.Spec.Volumes {
		if what, err = referenceOfVolume(v); what != "" || err != nil {
			return what, err
		}
	}
	return "", nil
}

// fewReferencesOf returns the same for releases that only look for some kinds
// (kubernetes/kubernetes:plugin/pkg/admission/noderestriction/admission.go).
func fewReferencesOf(pod *corev1.Pod, release *kubeversion.Release, named func(string) bool) string {
	trusts := func(v corev1.Volume) bool {
		return v.Projected != nil && slices.ContainsFunc(v.Projected.Sources, func(s corev1.VolumeProjection) bool { return s.ClusterTrustBundle != nil })
	}
	switch {
	case pod.Spec.ServiceAccountName != "":
		return "a service account"
	case plugin.UsesSecrets(pod, named):
		return "secrets"
	case usesConfigMaps(pod, named):
		return "configmaps"
	case slices.ContainsFunc(pod.Spec.Volumes, trusts):
		return "clustertrustbundles"
	case slices.ContainsFunc(pod.Spec.Volumes, func(v corev1.Volume) bool { return v.PersistentVolumeClaim != nil }):
		return "persistentvolumeclaims"
	case len(pod.Spec.ResourceClaims) > 0 && release.Has(kubeversion.ClaimReferencesRefused):
		return "resourceclaims"
	}
	return ""
}

func referenceOfVolume(v corev1.Volume) (what string, err error) {
	switch {
	case v.ConfigMap != nil:
		return "configmaps (via configmap volumes)", nil
	case v.Secret != nil:
		return "secrets (via secret volumes)", nil
	case v.CSI != nil:
		return "csidrivers (via CSI volumes)", nil
	case v.Glusterfs != nil:
		return "endpoints (via glusterFS volumes)", nil
	case v.PersistentVolumeClaim != nil:
		return "persistentvolumeclaims", nil
	case v.Ephemeral != nil:
		return "persistentvolumeclaims (via ephemeral volumes)", nil
	case v.AzureFile != nil:
		return "secrets (via azureFile volumes)", nil
	case v.Projected != nil:
		for _, source := range v.Projected.Sources {
			if what, err = referenceOfProjection(v, source); what != "" || err != nil {
				return what, err
			}
		}
		return "", nil
	case isHarmless(v.VolumeSource):
		return "", nil
	}
	return "", fmt.Errorf("unknown volume type for volume  %q", v.Name)
}

func referenceOfProjection(v corev1.Volume, source corev1.VolumeProjection) (what string, err error) {
	switch {
	case source.ClusterTrustBundle != nil:
		return "clustertrustbundles", nil
	case source.ConfigMap != nil:
		return "configmaps (via projected volumes)", nil
	case source.Secret != nil:
		return "secrets (via projected volumes)", nil
	case source.ServiceAccountToken != nil:
		return "serviceaccounts (via projected volumes)", nil
	case source.PodCertificate != nil:
		return "podcertificates", nil
	case source.DownwardAPI != nil:
		return "", nil
	}
	return "", fmt.Errorf("unknown source for projected volume %q", v.Name)
}

// isHarmless reports whether a volume needs no API object.
func isHarmless(v corev1.VolumeSource) bool {
	return v.AWSElasticBlockStore != nil || v.AzureDisk != nil || v.CephFS != nil || v.Cinder != nil ||
		v.DownwardAPI != nil || v.EmptyDir != nil || v.FC != nil || v.FlexVolume != nil || v.Flocker != nil ||
		v.GCEPersistentDisk != nil || v.GitRepo != nil || v.HostPath != nil || v.Image != nil || v.ISCSI != nil ||
		v.NFS != nil || v.PhotonPersistentDisk != nil || v.PortworxVolume != nil || v.Quobyte != nil ||
		v.RBD != nil || v.ScaleIO != nil || v.StorageOS != nil || v.VsphereVolume != nil
}

// usesConfigMaps reports whether the pod refers to a config map.
func usesConfigMaps(pod *corev1.Pod, named func(string) bool) bool {
	inEnvironment := func(c corev1.Container) bool { return environmentUsesConfigMaps(c.Env, c.EnvFrom, named) }
	inDebugger := func(c corev1.EphemeralContainer) bool { return environmentUsesConfigMaps(c.Env, c.EnvFrom, named) }
	return slices.ContainsFunc(pod.Spec.InitContainers, inEnvironment) ||
		slices.ContainsFunc(pod.Spec.Containers, inEnvironment) ||
		slices.ContainsFunc(pod.Spec.EphemeralContainers, inDebugger) ||
		slices.ContainsFunc(pod.Spec.Volumes, func(v corev1.Volume) bool { return volumeUsesConfigMaps(v, named) })
}

func environmentUsesConfigMaps(env []corev1.EnvVar, from []corev1.EnvFromSource, named func(string) bool) bool {
	return slices.ContainsFunc(env, func(e corev1.EnvVar) bool {
		return e.ValueFrom != nil && e.ValueFrom.ConfigMapKeyRef != nil && named(e.ValueFrom.ConfigMapKeyRef.Name)
	}) || slices.ContainsFunc(from, func(f corev1.EnvFromSource) bool {
		return f.ConfigMapRef != nil && named(f.ConfigMapRef.Name)
	})
}

func volumeUsesConfigMaps(v corev1.Volume, named func(string) bool) bool {
	switch {
	case v.Projected != nil:
		return slices.ContainsFunc(v.Projected.Sources, func(p corev1.VolumeProjection) bool {
			return p.ConfigMap != nil && named(p.ConfigMap.Name)
		})
	case v.ConfigMap != nil:
		return named(v.ConfigMap.Name)
	}
	return false
}
