// kubernetes/apiextensions-apiserver:pkg/apiserver/conversion/webhook_converter.go

package custom

import (
	"errors"
	"fmt"
	"io"
	"slices"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	metav1validation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/admsim/admsim/internal/objects/rules"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// callConverter converts an object by the webhook:
// kubernetes/apiextensions-apiserver:pkg/apiserver/conversion/webhook_converter.go.
func (k *Kind) callConverter(u *unstructured.Unstructured, to schema.GroupVersion) (*unstructured.Unstructured, error) {
	if k.options.Convert == nil {
		return nil, fmt.Errorf("converting %s to %s: CustomResourceDefinition %s: %w", u.GetAPIVersion(), to, k.crd.Name, rules.ErrNoConverter)
	}
	review, err := k.conversionReview(u, to)
	if err != nil {
		return nil, err
	}
	words := k.conversionWords(u)
	var out *unstructured.Unstructured
	var unusable error
	err = k.options.Convert(k.crd, review, func(reply *apiextensionsv1.ConversionReview) error {
		out, unusable = k.converted(u, to, review, reply, words)
		return unusable
	})
	switch {
	case unusable != nil:
		return nil, unusable
	case errors.Is(err, rules.ErrNoConverter):
		return nil, fmt.Errorf("converting %s to %s: CustomResourceDefinition %s: %w", u.GetAPIVersion(), to, k.crd.Name, err)
	case err != nil:
		return nil, words.failed(err)
	}
	return out, nil
}

// converted returns the object of a reply to a review, which must be u in another version.
func (k *Kind) converted(u *unstructured.Unstructured, to schema.GroupVersion, review, reply *apiextensionsv1.ConversionReview, words conversionWords) (*unstructured.Unstructured, error) {
	objects, err := k.convertedObjects(reply, review, words)
	if err != nil {
		return nil, err
	}
	if len(objects) != 1 {
		return nil, words.because(words.count, 1, len(objects))
	}
	out, err := k.convertedObject(objects[0])
	if err != nil {
		return nil, err
	}
	if got := out.GroupVersionKind(); got.GroupVersion() != to {
		return nil, words.because(words.version, to, got.GroupVersion())
	} else if got.Kind != u.GetKind() {
		return nil, words.because(words.kind, u.GetKind(), got.Kind)
	}
	if err := sameIdentity(u, out); err != nil {
		return nil, words.because(words.identity, err)
	}
	if !k.options.Release.Has(kubeversion.ConvertedMetadataKept) {
		return out, nil
	}
	if err := restoreMetadata(u, out); err != nil {
		return nil, words.because(words.metadata, err)
	}
	return out, nil
}

// conversionReviewUID is the uid of every conversion review. Only the reply to the review depends on it, and a varying
// uid would make runs differ.
const conversionReviewUID types.UID = "00000000-0000-0000-0000-000000000000"

func (k *Kind) conversionReview(u *unstructured.Unstructured, to schema.GroupVersion) (*apiextensionsv1.ConversionReview, error) {
	known := []string{"v1", "v1beta1"}
	unknown := errors.New("no supported conversion review versions")
	if !k.options.Release.Has(kubeversion.ConvertedKindNamed) {
		known, unknown = known[1:], errors.New("webhook does not accept v1beta1 ConversionReview")
	}
	var versions []string
	if w := k.crd.Spec.Conversion.Webhook; w != nil {
		versions = w.ConversionReviewVersions
	}
	for _, v := range versions {
		if !slices.Contains(known, v) {
			continue
		}
		return &apiextensionsv1.ConversionReview{
			TypeMeta: metav1.TypeMeta{APIVersion: apiextensionsv1.GroupName + "/" + v, Kind: "ConversionReview"},
			Request: &apiextensionsv1.ConversionRequest{
				UID:               conversionReviewUID,
				DesiredAPIVersion: to.String(),
				Objects:           []runtime.RawExtension{{Object: u.DeepCopy()}},
			},
			Response: &apiextensionsv1.ConversionResponse{}, // sent as well
		}, nil
	}
	return nil, unknown
}

// convertedObjects checks a reply. A reply of v1beta1 need not say which review it answers.
func (k *Kind) convertedObjects(reply, review *apiextensionsv1.ConversionReview, words conversionWords) ([]runtime.RawExtension, error) {
	v1 := review.APIVersion == apiextensionsv1.SchemeGroupVersion.String()
	if v1 && reply.GroupVersionKind() != review.GroupVersionKind() {
		return nil, words.failed(fmt.Errorf("expected webhook response of %v, got %v", review.GroupVersionKind(), reply.GroupVersionKind()))
	}
	response := reply.Response
	if response == nil {
		return nil, words.because(words.absent)
	}
	if v1 && response.UID != review.Request.UID {
		return nil, words.failed(fmt.Errorf("expected response.uid=%q, got %q", review.Request.UID, response.UID))
	}
	if response.Result.Status != metav1.StatusSuccess {
		return nil, words.unsuccessful(reply)
	}
	return response.ConvertedObjects, nil
}

func (k *Kind) convertedObject(raw runtime.RawExtension) (*unstructured.Unstructured, error) {
	if u, ok := raw.Object.(*unstructured.Unstructured); ok {
		return u.DeepCopy(), nil
	}
	if len(raw.Raw) == 0 && !k.options.Release.Has(kubeversion.JSONReadBySIGs) {
		return nil, io.EOF // kubernetes/apimachinery:pkg/util/json/json.go
	}
	out := &unstructured.Unstructured{}
	if err := out.UnmarshalJSON(raw.Raw); err != nil {
		return nil, err
	}
	return out, nil
}

func sameIdentity(in, out *unstructured.Unstructured) error {
	for _, part := range []struct{ name, want, got string }{
		{"kind", in.GetKind(), out.GetKind()},
		{"name", in.GetName(), out.GetName()},
		{"namespace", in.GetNamespace(), out.GetNamespace()},
		{"UID", string(in.GetUID()), string(out.GetUID())},
	} {
		if part.want != part.got {
			return fmt.Errorf("must have the same %s: %v != %v", part.name, part.want, part.got)
		}
	}
	return nil
}

// restoreMetadata restores the metadata of in, except for labels and annotations, which a conversion may change.
func restoreMetadata(in, out *unstructured.Unstructured) error {
	value, ok := out.Object["metadata"]
	if !ok {
		return errors.New("missing metadata in converted object")
	}
	converted, ok := value.(map[string]any)
	if !ok {
		return fmt.Errorf("invalid metadata of type %T in converted object", value)
	}
	metadata := map[string]any{}
	if original, ok := in.Object["metadata"]; ok {
		copied := runtime.DeepCopyJSONValue(original)
		if metadata, ok = copied.(map[string]any); !ok {
			return fmt.Errorf("invalid metadata of type %T in input object", copied)
		}
	}
	out.Object["metadata"] = metadata
	if err := takeOver(metadata, converted, "labels", metav1validation.ValidateLabels, "labels"); err != nil {
		return err
	}
	// The path that the server names here lacks an s.
	return takeOver(metadata, converted, "annotations", validation.ValidateAnnotations, "annotation")
}

// takeOver sets a field of string values to its converted value, which must be valid if anything in it changed.
func takeOver(metadata, converted map[string]any, name string, check func(map[string]string, *field.Path) field.ErrorList, path string) error {
	value := converted[name]
	if value == nil {
		delete(metadata, name)
		return nil
	}
	became, ok := value.(map[string]any)
	if !ok {
		return fmt.Errorf("invalid metadata.%s of type %T in converted object", name, value)
	}
	before, ok := metadata[name].(map[string]any)
	if !ok && metadata[name] != nil {
		return fmt.Errorf("invalid metadata.%s of type %T in original object", name, metadata[name])
	}
	texts := make(map[string]string, len(became))
	changed := len(before) != len(became)
	for key, v := range became {
		text, ok := v.(string)
		if !ok {
			return fmt.Errorf("metadata.%s[%s] must be a string, but is %T in converted object", name, key, v)
		}
		texts[key] = text
		changed = changed || before[key] != v
	}
	if changed {
		if errs := check(texts, rules.MetadataPath.Child(path)); len(errs) > 0 {
			return errs.ToAggregate()
		}
	}
	metadata[name] = became
	return nil
}
