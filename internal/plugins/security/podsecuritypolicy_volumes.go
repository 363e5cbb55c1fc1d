package security

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/admsim/admsim/internal/builtin"
	"github.com/admsim/admsim/pkg/kubeversion"
)

func (v *violations) volumes(pod *corev1.Pod) {
	spec := &v.policy.Spec
	for i, volume := range pod.Spec.Volumes {
		at := fmt.Sprintf("spec.volumes[%d]", i)
		kind := volumeType(volume)
		if !v.allowsVolume(kind, volume) {
			v.invalid(at, kind, kind+" volumes are not allowed to be used")
			continue
		}
		switch {
		case volume.HostPath != nil:
			v.hostPath(at, pod, volume)
		case volume.FlexVolume != nil && len(spec.AllowedFlexVolumes) > 0:
			driver := volume.FlexVolume.Driver
			if !slices.Contains(spec.AllowedFlexVolumes, builtin.AllowedFlexVolume{Driver: driver}) {
				v.invalid(at+".driver", driver, "Flexvolume driver is not allowed to be used")
			}
		case volume.CSI != nil && len(spec.AllowedCSIDrivers) > 0:
			driver := volume.CSI.Driver
			if !slices.Contains(spec.AllowedCSIDrivers, builtin.AllowedCSIDriver{Name: driver}) {
				v.invalid(at+".csi.driver", driver, "Inline CSI driver is not allowed to be used")
			}
		}
	}
}

// volumeType returns the name of a volume's type in policies: the name of its field, except for the case of one.
func volumeType(volume corev1.Volume) string {
	source := reflect.ValueOf(volume.VolumeSource)
	for i := range source.NumField() {
		if source.Field(i).IsNil() {
			continue
		}
		name, _, _ := strings.Cut(source.Type().Field(i).Tag.Get("json"), ",")
		if name == "cephfs" {
			return "cephFS"
		}
		return name
	}
	return ""
}

// allowsVolume reports whether the policy allows volumes of the type. Since 1.19 a volume that looks like the token
// volumes of later releases counts as a secret, since that is what it used to be
// (kubernetes/kubernetes:pkg/security/podsecuritypolicy/provider.go of that release).
func (v *violations) allowsVolume(kind string, volume corev1.Volume) bool {
	allowed := v.policy.Spec.Volumes
	if slices.Contains(allowed, "*") || slices.Contains(allowed, kind) {
		return true
	}
	return v.release.Has(kubeversion.TokenVolumesAreSecrets) && slices.Contains(allowed, "secret") && volume.Projected != nil &&
		!slices.ContainsFunc(volume.Projected.Sources, isNotOfToken)
}

// isNotOfToken reports whether a source is not one of those in a token volume (SA-08).
func isNotOfToken(p corev1.VolumeProjection) bool {
	switch {
	case p.ServiceAccountToken != nil:
		return p.ServiceAccountToken.Path != "token" || p.ServiceAccountToken.Audience != ""
	case p.ConfigMap != nil:
		return p.ConfigMap.Name != "kube-root-ca.crt"
	case p.DownwardAPI != nil:
		return slices.ContainsFunc(p.DownwardAPI.Items, func(f corev1.DownwardAPIVolumeFile) bool {
			return f.Path != "namespace" || f.FieldRef == nil || f.FieldRef.APIVersion != "v1" || f.FieldRef.FieldPath != "metadata.namespace"
		})
	}
	return true
}

// hostPath checks a path against the allowed prefixes. A read-only prefix allows only read-only mounts.
func (v *violations) hostPath(at string, pod *corev1.Pod, volume corev1.Volume) {
	allowed := v.policy.Spec.AllowedHostPaths
	if len(allowed) == 0 {
		return
	}
	readable := false
	for _, a := range allowed {
		if !isBelow(volume.HostPath.Path, a.PathPrefix) {
			continue
		}
		if !a.ReadOnly {
			return
		}
		readable = true
	}
	if !readable {
		v.invalid(at+".hostPath.pathPrefix", volume.HostPath.Path, "is not allowed to be used")
		return
	}
	for _, list := range []struct {
		name       string
		containers []corev1.Container
	}{{"initContainers", pod.Spec.InitContainers}, {"containers", pod.Spec.Containers}} {
		for i, c := range list.containers {
			for j, m := range c.VolumeMounts {
				if m.Name == volume.Name && !m.ReadOnly {
					v.invalid(fmt.Sprintf("spec.%s[%d].volumeMounts[%d].readOnly", list.name, i, j), false, "must be read-only")
				}
			}
		}
	}
}

// isBelow reports whether a path is prefix or below it: /foo is not a prefix of /foobar.
func isBelow(path, prefix string) bool {
	path, prefix = strings.TrimSuffix(path, "/"), strings.TrimSuffix(prefix, "/")
	return path == prefix || strings.HasPrefix(path, prefix+"/")
}
