// kubernetes/apiextensions-apiserver:pkg/apiserver/customresource_handler.go

package custom

import (
	"fmt"

	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/objectmeta"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/internal/objects/rules"
	"github.com/admsim/admsim/pkg/kubeversion"
)

func (k *Kind) Decode(data []byte, gvk schema.GroupVersionKind, s rules.Strictness) (runtime.Object, []string, error) {
	u, body, faults, err := k.read(data, &gvk, s)
	if err == nil && s == rules.Strict && len(faults) > 0 {
		err = runtime.NewStrictDecodingError(faults)
	}
	if err != nil {
		return nil, nil, rules.DecodeError(err, gvk.Kind, body, data)
	}
	// The kind is compared only when the object is validated.
	if body.GroupVersion() != gvk.GroupVersion() {
		return nil, rules.FaultTexts(faults), rules.WrongVersion(body.GroupVersion(), gvk.GroupVersion())
	}
	return u, rules.FaultTexts(faults), nil
}

// DecodePatched compares nothing with the kind of the URL, and takes nothing from it: that is
// left to validation. The error is said as it is:
// kubernetes/apiserver:pkg/endpoints/handlers/patch.go, jsonPatcher.
func (k *Kind) DecodePatched(data []byte, _ schema.GroupVersionKind, s rules.Strictness) (runtime.Object, []string, error) {
	u, _, faults, err := k.read(data, nil, s)
	if err != nil {
		return nil, nil, err
	}
	return u, rules.FaultTexts(faults), nil
}

// read makes an object of data that fits its schema. body is the kind that data names,
// completed by defaults if there are any; faults are what is dropped, unless s ignores it.
func (k *Kind) read(data []byte, defaults *schema.GroupVersionKind, s rules.Strictness) (u *unstructured.Unstructured, body schema.GroupVersionKind, faults []error, err error) {
	u = &unstructured.Unstructured{}
	if body, faults, err = rules.ReadTree(data, defaults, u, s != rules.Ignore); err != nil {
		return nil, body, nil, err
	}
	unknown, err := k.coerce(u, coercion{report: s != rules.Ignore})
	if err != nil {
		return nil, body, nil, err
	}
	for _, f := range unknown {
		faults = append(faults, fmt.Errorf(`unknown field "%s"`, f))
	}
	return u, body, faults, nil
}

// Patched drops nothing: what a patch adds, later webhooks see, whether the schema knows
// it or not (W-212).
func (k *Kind) Patched(data []byte, _ schema.GroupVersionKind, _ rules.Strictness) (runtime.Object, error) {
	u := &unstructured.Unstructured{}
	if _, _, err := rules.ReadTree(data, nil, u, false); err != nil {
		return nil, err
	}
	return u, nil
}

func (k *Kind) Defaults(obj runtime.Object) runtime.Object {
	u := obj.(*unstructured.Unstructured)
	if gvk := u.GroupVersionKind(); gvk.GroupKind() == k.kind {
		defaulting.Default(u.Object, k.structural(gvk.Version))
	}
	return u
}

// A custom resource has no internal version.
func (k *Kind) VersionDefaults(obj runtime.Object) runtime.Object { return k.Defaults(obj) }

func (k *Kind) Normalised(obj runtime.Object) runtime.Object { return obj }

func (k *Kind) structural(version string) *structuralschema.Structural {
	if v := k.versions[version]; v != nil {
		return v.structural
	}
	return nil
}

// A coercion is how much is done to make an object fit its schema.
type coercion struct {
	report bool // return the paths of what is dropped
	repair bool // drop malformed metadata instead of refusing it, as for stored objects
}

// coerce does for a custom resource what reading into a Go type does for the others: it
// checks metadata, and drops fields that the schema does not know and nulls where it does
// not allow any. An object of another kind only has its metadata checked: bodies of a
// wrong kind pass here before they are refused.
func (k *Kind) coerce(u *unstructured.Unstructured, c coercion) (unknown []string, err error) {
	kind, hasKind, err := unstructured.NestedString(u.Object, "kind")
	if err != nil {
		return nil, err
	}
	apiVersion, hasAPIVersion, err := unstructured.NestedString(u.Object, "apiVersion")
	if err != nil {
		return nil, err
	}
	gv, err := schema.ParseGroupVersion(apiVersion)
	if err != nil {
		return nil, err
	}
	metadata, hasMetadata, unknown, err := objectmeta.GetObjectMetaWithOptions(u.Object, objectmeta.ObjectMetaOptions{
		DropMalformedFields:     c.repair,
		ReturnUnknownFieldPaths: c.report,
	})
	if err != nil {
		return nil, err
	}
	if gv.WithKind(kind).GroupKind() == k.kind {
		more, err := k.prune(u, gv.Version, c)
		if err != nil {
			return nil, err
		}
		unknown = append(unknown, more...)
		if c.repair && metadata != nil && metadata.Generation == 0 {
			metadata.Generation = 1
		}
	}
	// Schemas need not mention these, so they may have been dropped.
	if hasKind {
		u.SetKind(kind)
	}
	if hasAPIVersion {
		u.SetAPIVersion(apiVersion)
	}
	if hasMetadata {
		if err := objectmeta.SetObjectMeta(u.Object, metadata); err != nil {
			return nil, err
		}
		if m, ok := u.Object["metadata"].(map[string]any); ok && metadata.CreationTimestamp.IsZero() && !k.options.Release.Has(kubeversion.OmitsZeroTimes) {
			m["creationTimestamp"] = nil // W-138
		}
	}
	return unknown, nil
}

func (k *Kind) prune(u *unstructured.Unstructured, version string, c coercion) (unknown []string, err error) {
	s := k.structural(version)
	if !k.crd.Spec.PreserveUnknownFields {
		unknown = pruning.PruneWithOptions(u.Object, s, true, structuralschema.UnknownFieldPathOptions{TrackUnknownFieldPaths: c.report})
		defaulting.PruneNonNullableNullsWithoutDefaults(u.Object, s)
	}
	fault, embedded := objectmeta.CoerceWithOptions(nil, u.Object, s, false, objectmeta.CoerceOptions{
		DropInvalidFields:       c.repair,
		ReturnUnknownFieldPaths: c.report,
	})
	if fault != nil {
		return nil, fault
	}
	return append(unknown, embedded...), nil
}
