// Package jsonread reads JSON as the servers of a release do, and says in their words why it cannot be read.
//
// [Kind] reads objects of built-in kinds. Whoever reads something else uses today's decoder. If that refuses the data,
// [Error] returns what the decoder of the release says about it: up to 1.22 that is json-iterator, whose errors have the
// path through the Go structs and the text around the fault (CV-11b).
//
// The package does not know the rules of kinds, nor what follows from an error.
package jsonread

import (
	quickjson "github.com/go-json-experiment/json"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	kubejson "sigs.k8s.io/json"

	"github.com/admsim/admsim/internal/builtin"
)

// Kind reads JSON into a new object of a built-in kind. It does not set the kind in the object. known is false for other
// kinds. If strict is set, faults lists the unknown and duplicate fields in readable data. The error is that of today.
//
// For valid input the server's decoder takes twice the time of another decoder, which is therefore tried first: without
// it, creating a Pod takes 1.19 times as long (BenchmarkPodCreate of package simulator). The faster decoder is the
// stricter one. What it refuses, from duplicate fields to invalid UTF-8, is left to the server's decoder, which decides
// and words the error.
func Kind(data []byte, gvk schema.GroupVersionKind, strict bool) (obj runtime.Object, known bool, faults []error, err error) {
	if obj, known = builtin.New(gvk); !known {
		return nil, false, nil, nil
	}
	if err := endlessQuantity(data, gvk); err != nil {
		return obj, true, nil, err
	}
	if quickjson.Unmarshal(data, obj, quickjson.RejectUnknownMembers(strict)) == nil {
		return obj, true, nil, nil
	}
	obj, _ = builtin.New(gvk) // the first decoder may have set some fields
	if !strict {
		return obj, true, nil, ofVersion(kubejson.UnmarshalCaseSensitivePreserveInts(data, obj), gvk)
	}
	faults, err = kubejson.UnmarshalStrict(data, obj)
	return obj, true, faults, ofVersion(err, gvk)
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
