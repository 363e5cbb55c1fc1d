package objects

import (
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
)

// A projectedPath is where a volume puts something, and, in a volume of several sources, what.
type projectedPath struct{ path, source string }

func (p projectedPath) String() string {
	if p.source == "" {
		return fmt.Sprintf("%q", p.path)
	}
	return fmt.Sprintf("%q (%s)", p.path, p.source)
}

// meets tells whether one of the paths is the other, or within it.
func (p projectedPath) meets(q projectedPath) bool {
	if p.path == "" || q.path == "" {
		return false
	}
	return strings.HasPrefix(p.path+"/", q.path+"/") || strings.HasPrefix(q.path+"/", p.path+"/")
}

// overlaps warns of volumes that put one thing where another is:
// kubernetes/kubernetes:pkg/api/pod/warnings.go.
func (w *warner) overlaps(volumes []corev1.Volume) {
	for _, v := range volumes {
		if v.ConfigMap != nil {
			w.overlapping(v.Name, fmt.Sprintf("ConfigMap %q", v.ConfigMap.Name), keyPaths(v.ConfigMap.Items, ""))
		}
		if v.Secret != nil {
			w.overlapping(v.Name, fmt.Sprintf("Secret %q", v.Secret.SecretName), keyPaths(v.Secret.Items, ""))
		}
		if v.DownwardAPI != nil {
			w.overlapping(v.Name, "DownwardAPI", filePaths(v.DownwardAPI.Items, ""))
		}
		if v.Projected == nil {
			continue
		}
		var all []projectedPath
		for _, s := range v.Projected.Sources {
			if s == (corev1.VolumeProjection{}) {
				w.texts = append(w.texts, fmt.Sprintf("volume %q (Projected) has no sources provided", v.Name))
			}
			more := pathsOf(s)
			w.overlapping(v.Name, "Projected", more, all...)
			all = append(all, more...)
		}
	}
}

// overlapping warns of paths that meet one before them, or one of those known.
func (w *warner) overlapping(volume, description string, paths []projectedPath, known ...projectedPath) {
	known = append([]projectedPath(nil), known...)
	for i := range paths {
		paths[i].path = strings.TrimRight(paths[i].path, "/")
		for _, other := range known {
			if paths[i].meets(other) {
				w.texts = append(w.texts, fmt.Sprintf("volume %q (%s): overlapping paths: %s with %s", volume, description, paths[i], other))
			}
		}
		known = append(known, paths[i])
	}
}

func keyPaths(items []corev1.KeyToPath, source string) []projectedPath {
	var paths []projectedPath
	for _, item := range items {
		paths = append(paths, projectedPath{item.Path, source})
	}
	return paths
}

func filePaths(items []corev1.DownwardAPIVolumeFile, source string) []projectedPath {
	var paths []projectedPath
	for _, item := range items {
		paths = append(paths, projectedPath{item.Path, source})
	}
	return paths
}

// pathsOf are those of one source, of which only one kind is looked at. A source that
// names no keys puts all, which nobody knows here.
func pathsOf(s corev1.VolumeProjection) []projectedPath {
	switch {
	case s.ConfigMap != nil && s.ConfigMap.Items != nil:
		return keyPaths(s.ConfigMap.Items, fmt.Sprintf("ConfigMap %q", s.ConfigMap.Name))
	case s.Secret != nil && s.Secret.Items != nil:
		return keyPaths(s.Secret.Items, fmt.Sprintf("Secret %q", s.Secret.Name))
	case s.DownwardAPI != nil && s.DownwardAPI.Items != nil:
		return filePaths(s.DownwardAPI.Items, "DownwardAPI")
	case s.ServiceAccountToken != nil:
		return []projectedPath{{s.ServiceAccountToken.Path, "ServiceAccountToken"}}
	case s.ClusterTrustBundle != nil:
		name := s.ClusterTrustBundle.Name
		if name == nil {
			name = s.ClusterTrustBundle.SignerName
		}
		if name == nil {
			return nil
		}
		return []projectedPath{{s.ClusterTrustBundle.Path, fmt.Sprintf("ClusterTrustBundle %q", *name)}}
	case s.PodCertificate != nil:
		return certificatePaths(s.PodCertificate)
	}
	return nil
}

func certificatePaths(c *corev1.PodCertificateProjection) []projectedPath {
	var paths []projectedPath
	for _, p := range []projectedPath{
		{c.CertificateChainPath, "PodCertificate chain"},
		{c.KeyPath, "PodCertificate key"},
		{c.CredentialBundlePath, "PodCertificate credential bundle"},
	} {
		if p.path != "" {
			paths = append(paths, p)
		}
	}
	return paths
}
