// kubernetes/kubernetes:pkg/api/pod/warnings.go
// kubernetes/kubernetes:pkg/api/node/util.go

package pod

import (
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/admsim/admsim/pkg/kubeversion"
)

// A projectedPath is a path in a volume and, in a volume with several sources, the source of its content.
type projectedPath struct {
	path string
	of   volumePart
}

// A volumePart is what a path in a volume contains: an object of some kind, which may have a name. If there is only one
// part, it is not mentioned.
type volumePart struct {
	kind string
	name *string
}

func (p volumePart) String() string {
	if p.name == nil {
		return p.kind
	}
	return fmt.Sprintf("%s %q", p.kind, *p.name)
}

func (p projectedPath) String() string {
	if p.of == (volumePart{}) {
		return fmt.Sprintf("%q", p.path)
	}
	return fmt.Sprintf("%q (%s)", p.path, p.of)
}

// meets reports whether the paths are the same, or one is within the other.
func (p projectedPath) meets(q projectedPath) bool {
	return p.path != "" && q.path != "" && (isWithin(p.path, q.path) || isWithin(q.path, p.path))
}

func isWithin(path, of string) bool {
	rest, ok := strings.CutPrefix(path, of)
	return ok && (rest == "" || rest[0] == '/')
}

// overlaps warns about volumes with overlapping paths: kubernetes/kubernetes:pkg/api/pod/warnings.go. Unless apart is
// set, a source without keys has the paths of the source before it.
func (w *Warner) overlaps(volumes []corev1.Volume, apart bool) {
	for i := range volumes {
		v := &volumes[i]
		if c := v.ConfigMap; c != nil {
			w.overlapping(v.Name, volumePart{"ConfigMap", &c.Name}, keyPaths(nil, c.Items, volumePart{}), 0)
		}
		if s := v.Secret; s != nil {
			w.overlapping(v.Name, volumePart{"Secret", &s.SecretName}, keyPaths(nil, s.Items, volumePart{}), 0)
		}
		if d := v.DownwardAPI; d != nil {
			w.overlapping(v.Name, volumePart{kind: "DownwardAPI"}, filePaths(nil, d.Items, volumePart{}), 0)
		}
		if v.Projected == nil {
			continue
		}
		var room [8]projectedPath
		all, before := room[:0], room[:0] // of all sources so far, and of the last one
		for j := range v.Projected.Sources {
			s := &v.Projected.Sources[j]
			if *s == (corev1.VolumeProjection{}) {
				w.Texts = append(w.Texts, fmt.Sprintf("volume %q (Projected) has no sources provided", v.Name))
				continue
			}
			known := len(all)
			if all = pathsOf(all, s); len(all) == known && !apart {
				all = append(all, before...)
			}
			before = all[known:]
			w.overlapping(v.Name, volumePart{kind: "Projected"}, all, known)
		}
	}
}

// overlapping warns about paths that overlap with earlier ones. The first known paths have already been checked.
func (w *Warner) overlapping(volume string, of volumePart, paths []projectedPath, known int) {
	for i := known; i < len(paths); i++ {
		paths[i].path = strings.TrimRight(paths[i].path, "/")
		for _, other := range paths[:i] {
			if paths[i].meets(other) {
				w.Texts = append(w.Texts, fmt.Sprintf("volume %q (%s): overlapping paths: %s with %s", volume, of, paths[i], other))
			}
		}
	}
}

func keyPaths(paths []projectedPath, items []corev1.KeyToPath, of volumePart) []projectedPath {
	for i := range items {
		paths = append(paths, projectedPath{items[i].Path, of})
	}
	return paths
}

func filePaths(paths []projectedPath, items []corev1.DownwardAPIVolumeFile, of volumePart) []projectedPath {
	for i := range items {
		paths = append(paths, projectedPath{items[i].Path, of})
	}
	return paths
}

// pathsOf adds the paths of one source; only one kind of source counts. The paths of a source without keys are not
// known here.
func pathsOf(paths []projectedPath, s *corev1.VolumeProjection) []projectedPath {
	switch {
	case s.ConfigMap != nil && s.ConfigMap.Items != nil:
		return keyPaths(paths, s.ConfigMap.Items, volumePart{"ConfigMap", &s.ConfigMap.Name})
	case s.Secret != nil && s.Secret.Items != nil:
		return keyPaths(paths, s.Secret.Items, volumePart{"Secret", &s.Secret.Name})
	case s.DownwardAPI != nil && s.DownwardAPI.Items != nil:
		return filePaths(paths, s.DownwardAPI.Items, volumePart{kind: "DownwardAPI"})
	case s.ServiceAccountToken != nil:
		return append(paths, projectedPath{s.ServiceAccountToken.Path, volumePart{kind: "ServiceAccountToken"}})
	case s.ClusterTrustBundle != nil:
		name := s.ClusterTrustBundle.Name
		if name == nil {
			name = s.ClusterTrustBundle.SignerName
		}
		if name == nil {
			return paths
		}
		return append(paths, projectedPath{s.ClusterTrustBundle.Path, volumePart{"ClusterTrustBundle", name}})
	case s.PodCertificate != nil:
		return certificatePaths(paths, s.PodCertificate)
	}
	return paths
}

func certificatePaths(paths []projectedPath, c *corev1.PodCertificateProjection) []projectedPath {
	for _, p := range []projectedPath{
		{c.CertificateChainPath, volumePart{kind: "PodCertificate chain"}},
		{c.KeyPath, volumePart{kind: "PodCertificate key"}},
		{c.CredentialBundlePath, volumePart{kind: "PodCertificate credential bundle"}},
	} {
		if p.path != "" {
			paths = append(paths, p)
		}
	}
	return paths
}

// OldNodeLabel returns since when a node label has another name. An old release does not know that of all of them.
func OldNodeLabel(key string, r *kubeversion.Release) (since string, old bool) {
	if since, old = oldNodeLabels[key]; !old && r.Has(kubeversion.MoreOldNodeLabels) {
		since, old = laterOldNodeLabels[key]
	}
	return since, old
}

var oldNodeLabels = map[string]string{
	"beta.kubernetes.io/arch":                  `deprecated since v1.14; use "kubernetes.io/arch" instead`,
	"beta.kubernetes.io/os":                    `deprecated since v1.14; use "kubernetes.io/os" instead`,
	"failure-domain.beta.kubernetes.io/region": `deprecated since v1.17; use "topology.kubernetes.io/region" instead`,
	"failure-domain.beta.kubernetes.io/zone":   `deprecated since v1.17; use "topology.kubernetes.io/zone" instead`,
	"beta.kubernetes.io/instance-type":         `deprecated since v1.17; use "node.kubernetes.io/instance-type" instead`,
}

// laterOldNodeLabels cause warnings since 1.31.
var laterOldNodeLabels = map[string]string{
	"app.kubernetes.io/created-by":                  `deprecated since v1.9`,
	"scheduler.alpha.kubernetes.io/preferAvoidPods": `deprecated since v1.22; use Taints and Tolerations instead`,
	"node-role.kubernetes.io/master":                `use "node-role.kubernetes.io/control-plane" instead`,
}
