package view

import (
	"slices"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/admsim/admsim/internal/objects"
	"github.com/admsim/admsim/internal/objects/crd"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// NextSettled returns a CustomResourceDefinition with the status that the server's own controllers will give it, if
// that differs from its status in the cluster. It returns nil if there is none, ignoring the names in except. Others
// follow after it has been written, since it may take a name that they want, or release one for them.
func NextSettled(s *cluster.State, r *kubeversion.Release, now metav1.Time, except []string) *apiextensionsv1.CustomResourceDefinition {
	s = objects.Cached(s, r)
	for d := range definitions(s) {
		if d.DeletionTimestamp != nil || slices.Contains(except, d.Name) {
			continue
		}
		if next := crd.Settled(d, definitions(s), now); next != d {
			return next
		}
	}
	return nil
}
