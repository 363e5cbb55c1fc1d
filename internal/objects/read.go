package objects

import (
	quickjson "github.com/go-json-experiment/json"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	kubejson "sigs.k8s.io/json"

	"github.com/admsim/admsim/internal/builtin"
	"github.com/admsim/admsim/internal/objects/rules"
)

// readTyped reads JSON into a new object of a built-in kind. It does not set the kind in the object. known is false for
// other kinds. strict lists the problems in readable data that s asks for.
//
// For valid input the server's decoder takes twice the time of another decoder, which is therefore tried first: without
// it, creating a Pod takes 1.19 times as long (BenchmarkPodCreate of package simulator). The faster decoder is the
// stricter one. What it refuses, from duplicate fields to invalid UTF-8, is left to the server's decoder, which decides
// and words the error.
func readTyped(data []byte, gvk schema.GroupVersionKind, s rules.Strictness) (obj runtime.Object, known bool, strict []error, err error) {
	if obj, known = builtin.New(gvk); !known {
		return nil, false, nil, nil
	}
	if err := endlessQuantity(data, gvk); err != nil {
		return obj, true, nil, err
	}
	if quickjson.Unmarshal(data, obj, quickjson.RejectUnknownMembers(s != rules.Ignore)) == nil {
		return obj, true, nil, nil
	}
	obj, _ = builtin.New(gvk) // the first decoder may have set some fields
	if s == rules.Ignore {
		return obj, true, nil, ofVersion(kubejson.UnmarshalCaseSensitivePreserveInts(data, obj), gvk)
	}
	strict, err = kubejson.UnmarshalStrict(data, obj)
	return obj, true, strict, ofVersion(err, gvk)
}

// ofVersion shows the Go types of package builtin in an error with the server's names.
func ofVersion(err error, gvk schema.GroupVersionKind) error {
	if err == nil || builtin.AsServer(err.Error(), gvk.Version) == err.Error() {
		return err
	}
	return &versionError{err, gvk.Version}
}

type versionError struct {
	error
	version string
}

func (e *versionError) Error() string { return builtin.AsServer(e.error.Error(), e.version) }
func (e *versionError) Unwrap() error { return e.error }
