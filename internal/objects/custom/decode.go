// kubernetes/apiextensions-apiserver:pkg/apiserver/customresource_handler.go

package custom

import (
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"

	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/objectmeta"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/admsim/admsim/internal/jsonread"
	"github.com/admsim/admsim/internal/moved"
	"github.com/admsim/admsim/internal/objects/rules"
	"github.com/admsim/admsim/pkg/kubeversion"
)

func (k *Kind) Decode(data []byte, found []error, gvk schema.GroupVersionKind, s rules.Strictness) (runtime.Object, []string, error) {
	u, body, faults, err := k.read(data, &gvk, s)
	if s != rules.Ignore {
		faults = slices.Concat(found, faults)
	}
	if err == nil && s == rules.Strict && len(faults) > 0 {
		err = runtime.NewStrictDecodingError(faults)
	}
	if err != nil {
		return nil, nil, rules.DecodeError(err, gvk.Kind, body, data)
	}
	// The kind is only compared when the object is validated.
	if body.GroupVersion() != gvk.GroupVersion() {
		return nil, rules.FaultTexts(faults), rules.WrongVersion(body.GroupVersion(), gvk.GroupVersion())
	}
	return u, rules.FaultTexts(faults), nil
}

// DecodePatched neither compares the object with the kind of the URL nor takes anything from it: that is left to
// validation. The error is passed on unchanged: kubernetes/apiserver:pkg/endpoints/handlers/patch.go, jsonPatcher.
func (k *Kind) DecodePatched(data []byte, _ schema.GroupVersionKind, s rules.Strictness) (runtime.Object, []string, error) {
	u, _, faults, err := k.read(data, nil, s)
	if err != nil {
		return nil, nil, err
	}
	return u, rules.FaultTexts(faults), nil
}

// read returns the object in data, made to fit its schema. body is the kind that data names, completed by defaults if
// there are any; faults are the dropped fields, unless s ignores them.
func (k *Kind) read(data []byte, defaults *schema.GroupVersionKind, s rules.Strictness) (u *unstructured.Unstructured, body schema.GroupVersionKind, faults []error, err error) {
	u = &unstructured.Unstructured{}
	if body, faults, err = jsonread.Tree(data, defaults, u, s != rules.Ignore, k.options.Release); err != nil {
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

// Patched does not drop anything: later webhooks see what a patch adds, whether the schema knows it or not (W-212).
func (k *Kind) Patched(data []byte, _ schema.GroupVersionKind, _ rules.Strictness) (runtime.Object, error) {
	u := &unstructured.Unstructured{}
	if _, _, err := jsonread.Tree(data, nil, u, false, k.options.Release); err != nil {
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

// VersionDefaults is the same as Defaults: a custom resource has no internal version.
func (k *Kind) VersionDefaults(obj runtime.Object) runtime.Object { return k.Defaults(obj) }

func (k *Kind) Normalised(obj runtime.Object) runtime.Object { return obj }

func (k *Kind) structural(version string) *structuralschema.Structural {
	if v := k.versions[version]; v != nil {
		return v.structural
	}
	return nil
}

// A coercion says how an object is made to fit its schema.
type coercion struct {
	report bool // return the paths of dropped fields
	repair bool // drop malformed metadata instead of refusing it, as for stored objects
}

// coerce does for a custom resource what reading into a Go type does for built-in kinds: it checks metadata, and drops
// fields that the schema does not know, and nulls where the schema does not allow them. For an object of another kind
// it only checks metadata: bodies of a wrong kind pass here before they are refused.
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
	absent := k.dropAbsent(u.Object)
	sent := k.metadata(u.Object)
	withinFormer, wrong, _ := rules.ReadFormer(u.Object, k.former)
	if len(wrong) > 0 && !c.repair {
		return nil, k.metadataError(formerFault(wrong[0]), sent)
	}
	k.former.ToTypes(u.Object)
	metadata, hasMetadata, unknown, err := objectmeta.GetObjectMetaWithOptions(u.Object, objectmeta.ObjectMetaOptions{
		DropMalformedFields:     c.repair,
		ReturnUnknownFieldPaths: c.report,
	})
	if err != nil {
		return nil, k.metadataError(err, sent)
	}
	if c.report {
		unknown = append(unknown, slices.Concat(absent, withinFormer)...)
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
	// Schemas need not mention these fields, so they may have been dropped.
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
		k.former.ToRelease(u.Object)
	}
	return unknown, nil
}

func (k *Kind) prune(u *unstructured.Unstructured, version string, c coercion) (unknown []string, err error) {
	s := k.structural(version)
	if !k.crd.Spec.PreserveUnknownFields {
		unknown = pruning.PruneWithOptions(u.Object, s, true, structuralschema.UnknownFieldPathOptions{TrackUnknownFieldPaths: c.report})
		defaulting.PruneNonNullableNullsWithoutDefaults(u.Object, s)
	}
	more, fault := k.coerceEmbedded(u, s, c)
	if fault != nil {
		if strings.HasSuffix(fault.Field, "metadata") {
			fault.Detail = k.metadataError(errors.New(fault.Detail), fault.BadValue).Error()
		}
		return nil, rules.Worded(k.options.Release, field.ErrorList{fault})[0]
	}
	return append(unknown, more...), nil
}

// coerceEmbedded does for the resources embedded in an object what coerce does for the object itself.
func (k *Kind) coerceEmbedded(u *unstructured.Unstructured, s *structuralschema.Structural, c coercion) (unknown []string, fault *field.Error) {
	var resources []map[string]any // with fields that the types do not have
	if !k.former.None() {
		for at, resource := range embedded(nil, u.Object, s) {
			sent := k.metadata(resource)
			_, wrong, found := rules.ReadFormer(resource, k.former)
			if len(wrong) > 0 && !c.repair {
				return nil, field.Invalid(at.Child("metadata"), sent, formerFault(wrong[0]).Error())
			}
			if found {
				k.former.ToTypes(resource)
				resources = append(resources, resource)
			}
		}
	}
	fault, unknown = objectmeta.CoerceWithOptions(nil, u.Object, s, false, objectmeta.CoerceOptions{
		DropInvalidFields:       c.repair,
		ReturnUnknownFieldPaths: c.report,
	})
	for _, resource := range resources {
		k.former.ToRelease(resource)
	}
	return unknown, fault
}

// dropAbsent removes from the metadata of a resource the fields that the release does not have, whatever they hold, and
// returns their paths.
func (k *Kind) dropAbsent(resource map[string]any) (paths []string) {
	metadata, ok := resource["metadata"].(map[string]any)
	if !ok {
		return nil
	}
	for _, name := range k.options.Release.AbsentFields(metav1.ObjectMeta{}.OpenAPIModelName()) {
		if _, ok := metadata[name]; ok {
			delete(metadata, name)
			paths = append(paths, "metadata."+name)
		}
	}
	return paths
}

// metadata returns the metadata of a resource as they were sent. If they may have fields that the types do not have, it
// returns a copy, because these are moved to where the types have a place for them.
func (k *Kind) metadata(resource map[string]any) any {
	if metadata, ok := resource["metadata"].(map[string]any); ok && !k.former.None() {
		return runtime.DeepCopyJSONValue(metadata)
	}
	return resource["metadata"]
}

// metadataError returns the error of the release about metadata that today's decoder refuses with err. The server writes
// the metadata as JSON again to read them: kubernetes/apiextensions-apiserver:pkg/apiserver/schema/objectmeta/coerce.go.
// It is never nil: a decoder accepts what today's refuses only in fields that its release does not have, which were
// removed before.
func (k *Kind) metadataError(err error, metadata any) error {
	data, fault := json.Marshal(metadata)
	if fault != nil {
		return err
	}
	return jsonread.Error(err, data, &metav1.ObjectMeta{}, schema.GroupVersionKind{}, k.options.Release)
}

// formerFault returns the error about a wrong value in metadata, which the server reads alone.
func formerFault(wrong moved.Mismatch) error {
	wrong.Into = strings.Replace(wrong.Into, ".metadata.", ".", 1)
	return wrong.Fault()
}

// embedded iterates over the resources within a value.
func embedded(at *field.Path, value any, s *structuralschema.Structural) iter.Seq2[*field.Path, map[string]any] {
	return func(yield func(*field.Path, map[string]any) bool) { eachEmbedded(at, value, s, yield) }
}

func eachEmbedded(at *field.Path, value any, s *structuralschema.Structural, yield func(*field.Path, map[string]any) bool) bool {
	if s == nil {
		return true
	}
	switch value := value.(type) {
	case map[string]any:
		if s.XEmbeddedResource && !yield(at, value) {
			return false
		}
		for name, in := range rules.Sorted(value) {
			path, schema := at.Child(name), (*structuralschema.Structural)(nil)
			if property, ok := s.Properties[name]; ok {
				schema = &property
			} else if s.AdditionalProperties != nil {
				path, schema = at.Key(name), s.AdditionalProperties.Structural
			}
			if !eachEmbedded(path, in, schema, yield) {
				return false
			}
		}
	case []any:
		for i, in := range value {
			if !eachEmbedded(at.Index(i), in, s.Items, yield) {
				return false
			}
		}
	}
	return true
}
