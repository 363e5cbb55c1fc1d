package objects

import (
	"errors"
	"strings"

	quickjson "github.com/go-json-experiment/json"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	kubejson "sigs.k8s.io/json"

	"github.com/admsim/admsim/internal/builtin"
	"github.com/admsim/admsim/internal/objects/rules"
)

// readTyped reads JSON into a new object of a built-in kind. It does not set the kind in the object. known is
// false for other kinds. strict is what is wrong with data that can be read, in which s is
// interested.
//
// Valid input takes the server's decoder twice the time of another one, which therefore looks first: without it, to
// create a Pod takes 1.19 times as long (BenchmarkPodCreate of package simulator). It is the stricter of the two: what
// it refuses, from a field given twice to a text that is no UTF-8, is for the server's to judge and to put into words.
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
	obj, _ = builtin.New(gvk) // since half of it may be read
	if s == rules.Ignore {
		return obj, true, nil, ofVersion(kubejson.UnmarshalCaseSensitivePreserveInts(data, obj), gvk)
	}
	strict, err = kubejson.UnmarshalStrict(data, obj)
	return obj, true, strict, ofVersion(err, gvk)
}

// ofVersion has an error name the Go types of package builtin as the server calls them, where
// each version is a package.
func ofVersion(err error, gvk schema.GroupVersionKind) error {
	if err == nil || !strings.Contains(err.Error(), " builtin.") {
		return err
	}
	return errors.New(strings.ReplaceAll(err.Error(), " builtin.", " "+gvk.Version+"."))
}
