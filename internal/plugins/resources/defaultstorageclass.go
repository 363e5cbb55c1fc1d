package resources

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/internal/plugins/plugin"
	"github.com/admsim/admsim/pkg/admission"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/kubeversion"
	"github.com/admsim/admsim/pkg/trace"
)

var storageClassKind = schema.GroupKind{Group: storagev1.GroupName, Kind: "StorageClass"}

const (
	defaultStorageClassAnnotation     = "storageclass.kubernetes.io/is-default-class"
	betaDefaultStorageClassAnnotation = "storageclass.beta.kubernetes.io/is-default-class"
)

// DefaultStorageClass sets the default storage class on claims without one.
type DefaultStorageClass struct{ several bool }

func NewDefaultStorageClass(r *kubeversion.Release) DefaultStorageClass {
	return DefaultStorageClass{r.Has(kubeversion.SeveralDefaultClasses)}
}

func (p DefaultStorageClass) Mutate(_ context.Context, s *cluster.State, req admission.Request, _ *trace.Step) (trace.Step, error) {
	step := plugin.Begin(req)
	if !plugin.Concerns(req, "", "persistentvolumeclaims") {
		return plugin.Skip(step, "not a persistent volume claim"), nil
	}
	claim, err := plugin.ObjectOf[*corev1.PersistentVolumeClaim](req)
	if err != nil {
		return step, err
	}
	if _, ok := claim.Annotations[corev1.BetaStorageClassAnnotation]; ok || claim.Spec.StorageClassName != nil {
		return plugin.Skip(step, "the claim names a storage class, or says that it wants none"), nil // DSC-01
	}
	class, name, ok := defaultClass(s, storageClassKind, defaultStorageClassAnnotation, betaDefaultStorageClassAnnotation)
	if !ok {
		return plugin.Allow(step, "no storage class is the default one"), nil
	}
	if n := defaultClasses(s, storageClassKind, defaultStorageClassAnnotation, betaDefaultStorageClassAnnotation); n > 1 && !p.several {
		return plugin.Forbid(plugin.DecidedBy(step, class), req, fmt.Sprintf("Internal error occurred: %d default StorageClasses were found", n)), nil // DSC-04
	}
	changed := *claim
	changed.Spec.StorageClassName = &name // DSC-03
	return plugin.DecidedBy(plugin.Change(step, &changed, "the default storage class is "+name), class), nil
}
