package plugin

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/internal/semantic"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// Kinds that plugins of several families look up.
var (
	NamespaceKind      = schema.GroupKind{Kind: "Namespace"}
	NodeKind           = schema.GroupKind{Kind: "Node"}
	PodKind            = schema.GroupKind{Kind: "Pod"}
	ServiceAccountKind = schema.GroupKind{Kind: "ServiceAccount"}
)

// SameButForCollection reports whether two objects differ in nothing but the fields of the garbage collector (PSP-01).
func SameButForCollection(object, old runtime.Object) (bool, error) {
	object = object.DeepCopyObject()
	m, err := meta.Accessor(object)
	if err != nil {
		return false, err
	}
	before, err := meta.Accessor(old)
	if err != nil {
		return false, err
	}
	m.SetOwnerReferences(before.GetOwnerReferences())
	m.SetFinalizers(before.GetFinalizers())
	m.SetManagedFields(before.GetManagedFields())
	m.SetSelfLink(before.GetSelfLink())
	return semantic.DeepEqual(object, old), nil
}

// StorageClassOf returns the class that a claim names in its annotation or its spec, or "" for none (PVR-03).
func StorageClassOf(claim *corev1.PersistentVolumeClaim) string {
	if name, ok := claim.Annotations[corev1.BetaStorageClassAnnotation]; ok {
		return name
	}
	if claim.Spec.StorageClassName != nil {
		return *claim.Spec.StorageClassName
	}
	return ""
}

// IsMirror reports whether the pod is the mirror of a kubelet's static pod.
func IsMirror(pod *corev1.Pod) bool {
	_, ok := pod.Annotations[corev1.MirrorPodAnnotationKey]
	return ok
}

// NamedIn returns a function that reports whether a pod refers to an object by this name. In old releases, even an empty
// name refers to one (SA-41: kubernetes/kubernetes:pkg/api/pod/util.go).
func NamedIn(r *kubeversion.Release) func(name string) bool {
	anyName := !r.Has(kubeversion.EmptyNamesSkipped)
	return func(name string) bool { return name != "" || anyName }
}

// UsesSecrets reports whether the pod refers to a secret (SA-41). named is that of its release.
func UsesSecrets(pod *corev1.Pod, named func(string) bool) bool {
	if slices.ContainsFunc(pod.Spec.ImagePullSecrets, func(r corev1.LocalObjectReference) bool { return named(r.Name) }) {
		return true
	}
	inEnvironment := func(c corev1.Container) bool { return secretIn(c.Env, c.EnvFrom, named) }
	inDebugger := func(c corev1.EphemeralContainer) bool { return secretIn(c.Env, c.EnvFrom, named) }
	return slices.ContainsFunc(pod.Spec.InitContainers, inEnvironment) ||
		slices.ContainsFunc(pod.Spec.Containers, inEnvironment) ||
		slices.ContainsFunc(pod.Spec.EphemeralContainers, inDebugger) ||
		slices.ContainsFunc(pod.Spec.Volumes, func(v corev1.Volume) bool { return secretInVolume(v, named) })
}

func secretIn(env []corev1.EnvVar, from []corev1.EnvFromSource, named func(string) bool) bool {
	return slices.ContainsFunc(env, func(e corev1.EnvVar) bool {
		return e.ValueFrom != nil && e.ValueFrom.SecretKeyRef != nil && named(e.ValueFrom.SecretKeyRef.Name)
	}) || slices.ContainsFunc(from, func(f corev1.EnvFromSource) bool {
		return f.SecretRef != nil && named(f.SecretRef.Name)
	})
}

func secretInVolume(v corev1.Volume, named func(string) bool) bool {
	local := func(r *corev1.LocalObjectReference) bool { return r != nil && named(r.Name) }
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
			return p.Secret != nil && named(p.Secret.Name)
		})
	case v.RBD != nil:
		return local(v.RBD.SecretRef)
	case v.Secret != nil:
		return named(v.Secret.SecretName)
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
