package kubeversion

import "k8s.io/apimachinery/pkg/runtime/schema"

// A mergedList is a list that strategic merge patches merge since a minor version. Before, they replaced it.
type mergedList struct {
	kind  schema.GroupVersionKind
	path  string
	since int
}

// mergedLists lists them by the tags of the Go types: k8s.io/api@v0.30.14:resource/v1alpha2/types.go.
var mergedLists = []mergedList{
	{schema.GroupVersionKind{Group: "resource.k8s.io", Version: "v1alpha2", Kind: "ResourceClaim"}, "status.reservedFor", 30},
}

// ReplacedLists returns the paths of the lists of a kind that strategic merge patches replace in the release, although
// the Go types have tags by which they are merged.
func (r *Release) ReplacedLists(kind schema.GroupVersionKind) (paths []string) {
	for _, list := range mergedLists {
		if list.kind == kind && r.Minor < list.since {
			paths = append(paths, list.path)
		}
	}
	return paths
}
