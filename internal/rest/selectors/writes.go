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
