package selectors

import (
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
)

// OptionsInQuery returns the codec for the options of a write in the query of a URL.
var OptionsInQuery = sync.OnceValue(func() runtime.ParameterCodec { return runtime.NewParameterCodec(writesScheme()) })

// OptionsInBody returns the decoder for the options of a deletion in its body.
var OptionsInBody = sync.OnceValue(func() runtime.Decoder {
	codecs := serializer.NewCodecFactory(writesScheme())
	info, _ := runtime.SerializerInfoForMediaType(codecs.SupportedMediaTypes(), runtime.ContentTypeJSON)
	return codecs.DecoderToVersion(info.Serializer, metav1.SchemeGroupVersion)
})

// writesScheme is the part of the server's scheme for these options:
// kubernetes/apimachinery:pkg/apis/meta/internalversion/register.go.
var writesScheme = sync.OnceValue(func() *runtime.Scheme {
	scheme := runtime.NewScheme()
	internal := schema.GroupVersion{Group: metav1.GroupName, Version: runtime.APIVersionInternal}
	scheme.AddUnversionedTypes(internal, &metav1.DeleteOptions{}, &metav1.CreateOptions{}, &metav1.UpdateOptions{})
	metav1.AddToGroupVersion(scheme, metav1.SchemeGroupVersion)
	return scheme
})

// WithDryRun returns the query with dryRun replaced, or removed if dryRun is empty.
func WithDryRun(query map[string][]string, dryRun []string) map[string][]string {
	next := map[string][]string{}
	if len(dryRun) > 0 {
		next["dryRun"] = dryRun
	}
	for k, v := range query {
		if k != "dryRun" {
			next[k] = v
		}
	}
	return next
}

// CreateOptionsOf returns the options for a write that turns out to create an object (W-014).
func CreateOptionsOf(o *metav1.UpdateOptions) *metav1.CreateOptions {
	return &metav1.CreateOptions{
		TypeMeta:        OptionsMeta("CreateOptions"),
		DryRun:          o.DryRun,
		FieldManager:    o.FieldManager,
		FieldValidation: o.FieldValidation,
	}
}

// UpdateOptionsOf returns the options with which a patch is admitted (W-016).
func UpdateOptionsOf(o *metav1.PatchOptions) *metav1.UpdateOptions {
	return &metav1.UpdateOptions{
		TypeMeta:        OptionsMeta("UpdateOptions"),
		DryRun:          o.DryRun,
		FieldManager:    o.FieldManager,
		FieldValidation: o.FieldValidation,
	}
}

// OptionsMeta returns the kind of options as admission sees it.
func OptionsMeta(kind string) metav1.TypeMeta {
	return metav1.TypeMeta{APIVersion: "meta.k8s.io/v1", Kind: kind}
}
