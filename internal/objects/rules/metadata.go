package rules

import (
	"reflect"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/api/validate/content"
	"k8s.io/apimachinery/pkg/api/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	utilvalidation "k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/admsim/admsim/pkg/kubeversion"
)

var (
	MetadataPath    = field.NewPath("metadata")
	AnnotationsPath = MetadataPath.Child("annotations")
)

// PathSegment is the rule for names of all kinds: they must fit a URL.
func PathSegment(name string, prefix bool) []string {
	if prefix {
		return content.IsPathSegmentPrefix(name)
	}
	return content.IsPathSegmentName(name)
}

// Rules for the names of some kinds.
var (
	DNS1035Label  = validation.NameIsDNS1035Label
	NamespaceName = validation.ValidateNamespaceName
)

// ValidateNewMetadata is the metadata check of a kind itself, with its rule for names.
func ValidateNewMetadata(obj runtime.Object, r Request, name validation.ValidateNameFunc) field.ErrorList {
	m, err := meta.Accessor(obj)
	if err != nil || name == nil {
		return nil
	}
	return withInitializerErrors(validation.ValidateObjectMetaAccessor(m, r.Namespaced, name, MetadataPath), obj)
}

// declaredMetadata is ValidateNewMetadata for a kind that declares its rule for names, that of a DNS subdomain.
func declaredMetadata(obj runtime.Object, r Request) field.ErrorList {
	m, err := meta.Accessor(obj)
	if err != nil {
		return nil
	}
	return validation.ValidateObjectMetaAccessorWithOpts(m, r.Namespaced, longName, MetadataPath)
}

// ValidateFinalizers requires finalizers to be qualified or known, as most kinds do.
func ValidateFinalizers(obj runtime.Object) field.ErrorList {
	m, err := meta.Accessor(obj)
	if err != nil {
		return nil
	}
	var errs Errors
	for i, f := range m.GetFinalizers() {
		errs.Add(KnownFinalizer(f, MetadataPath.Child("finalizers").Index(i)))
	}
	return errs.List()
}

func KnownFinalizer(f string, path *field.Path) field.ErrorList {
	switch f {
	case string(corev1.FinalizerKubernetes), metav1.FinalizerOrphanDependents, metav1.FinalizerDeleteDependents:
		return nil
	}
	if strings.Contains(f, "/") {
		return nil
	}
	return field.ErrorList{field.Invalid(path, f, "name is neither a standard finalizer name nor is it fully qualified")}
}

// ValidateAnyMetadata is the metadata check for all kinds.
func ValidateAnyMetadata(obj runtime.Object, namespaced bool) field.ErrorList {
	m, err := meta.Accessor(obj)
	if err != nil {
		return nil
	}
	return withInitializerErrors(validation.ValidateObjectMetaAccessor(m, namespaced, PathSegment, MetadataPath), obj)
}

// ValidateAnyName is the part of ValidateAnyMetadata about the name.
func ValidateAnyName(obj runtime.Object) field.ErrorList {
	m, err := meta.Accessor(obj)
	if err != nil {
		return nil
	}
	var errs Errors
	errs.Add(Faults(MetadataPath.Child("generateName"), m.GetGenerateName(), PathSegment(m.GetGenerateName(), true)))
	errs.Add(Faults(MetadataPath.Child("name"), m.GetName(), PathSegment(m.GetName(), false)))
	return errs.List()
}

func ValidateAnyMetadataUpdate(obj, old runtime.Object, r *kubeversion.Release) field.ErrorList {
	m, err := meta.Accessor(obj)
	if err != nil {
		return nil
	}
	before, err := meta.Accessor(old)
	if err != nil {
		return nil
	}
	errs := validation.ValidateObjectMetaAccessorUpdate(m, before, MetadataPath)
	if m.GetGeneration() < 0 && !r.Has(kubeversion.ChangedGenerationsChecked) {
		errs = slices.DeleteFunc(errs, func(e *field.Error) bool {
			return e.Field == "metadata.generation" && e.Detail == validation.IsNegativeErrorMsg
		})
	}
	return withInitializerChanges(errs, obj, old)
}

// KeepSystemMetadata restores what an update cannot change but may omit:
// kubernetes/apiserver:pkg/registry/rest/update.go.
func KeepSystemMetadata(obj, old runtime.Object) {
	m, err := meta.Accessor(obj)
	if err != nil {
		return
	}
	before, err := meta.Accessor(old)
	if err != nil {
		return
	}
	if m.GetUID() == "" {
		m.SetUID(before.GetUID())
	}
	if created := before.GetCreationTimestamp(); !created.IsZero() {
		m.SetCreationTimestamp(created)
	}
	if before.GetDeletionTimestamp() != nil {
		m.SetDeletionTimestamp(before.GetDeletionTimestamp().DeepCopy())
	}
	if before.GetDeletionGracePeriodSeconds() != nil && m.GetDeletionGracePeriodSeconds() == nil {
		seconds := *before.GetDeletionGracePeriodSeconds()
		m.SetDeletionGracePeriodSeconds(&seconds)
	}
}

// copyMetadata copies the metadata of from to to.
func copyMetadata(to, from runtime.Object) {
	dst := reflect.ValueOf(to).Elem().FieldByName("ObjectMeta")
	src := reflect.ValueOf(from).Elem().FieldByName("ObjectMeta")
	if dst.IsValid() && src.IsValid() {
		m := src.Addr().Interface().(*metav1.ObjectMeta).DeepCopy()
		dst.Set(reflect.ValueOf(*m))
	}
}

// keepMetadata restores the metadata that users set from old.
func keepMetadata(obj, old runtime.Object) {
	m, err := meta.Accessor(obj)
	before, errOld := meta.Accessor(old.DeepCopyObject())
	if err == nil && errOld == nil {
		metav1.ResetObjectMetaForStatus(m, before)
	}
}

// UserAnnotations checks the annotations of a pod that are passed to a signer.
func UserAnnotations(a map[string]string, at *field.Path) field.ErrorList {
	var errs Errors
	for key := range Sorted(a) {
		errs.Add(utilvalidation.IsDomainPrefixedKey(at, strings.ToLower(key)))
	}
	if validation.ValidateAnnotationsSize(a) != nil {
		errs.TooLong(at, "", validation.TotalAnnotationSizeLimitB)
	}
	return errs.List()
}
