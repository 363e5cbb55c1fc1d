package jsonread

import (
	"sync"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured/unstructuredscheme"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	jsonserializer "k8s.io/apimachinery/pkg/runtime/serializer/json"

	"github.com/admsim/admsim/pkg/kubeversion"
)

var lenientTrees = sync.OnceValue(func() *jsonserializer.Serializer { return treeSerializer(false) })

var strictTrees = sync.OnceValue(func() *jsonserializer.Serializer { return treeSerializer(true) })

func treeSerializer(strict bool) *jsonserializer.Serializer {
	return jsonserializer.NewSerializerWithOptions(jsonserializer.DefaultMetaFactory,
		unstructuredscheme.NewUnstructuredCreator(), unstructuredscheme.NewUnstructuredObjectTyper(),
		jsonserializer.SerializerOptions{Strict: strict})
}

// Tree reads data into u, as the server of a release reads custom resources. body is the kind that data names, as far as
// it is known; faults are the duplicate fields, if strict is set.
func Tree(data []byte, defaults *schema.GroupVersionKind, u *unstructured.Unstructured, strict bool, r *kubeversion.Release) (body schema.GroupVersionKind, faults []error, err error) {
	serializer := lenientTrees()
	if strict {
		serializer = strictTrees()
	}
	_, named, err := serializer.Decode(data, defaults, u)
	if named != nil {
		body = *named
	}
	if e, ok := runtime.AsStrictDecodingError(err); ok {
		return body, e.Errors(), nil
	}
	if err != nil && named != nil {
		err = Error(err, data, u, body, r)
	}
	return body, nil, err
}
