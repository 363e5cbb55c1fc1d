package plugin

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	kjson "sigs.k8s.io/json"
)

// Configured reads a plugin's configuration, which has to be of one of kinds, each written as apiVersion and kind with
// a space between them. Unknown and duplicate fields are errors.
func Configured(data []byte, into any, kinds ...string) error {
	if err := OfKind(data, kinds...); err != nil {
		return err
	}
	strict, err := kjson.UnmarshalStrict(data, into)
	if err == nil && len(strict) > 0 {
		err = runtime.NewStrictDecodingError(strict)
	}
	return InType(err, into)
}

// OfKind refuses a configuration that is of none of kinds.
func OfKind(data []byte, kinds ...string) error {
	var is metav1.TypeMeta
	if err := kjson.UnmarshalCaseSensitivePreserveInts(data, &is); err != nil {
		return err
	}
	if !slices.Contains(kinds, is.APIVersion+" "+is.Kind) {
		want := strings.Join(kinds, ", ")
		if len(kinds) > 1 {
			want = "one of " + want
		}
		return fmt.Errorf("the configuration is of kind %q, version %q; want %s", is.Kind, is.APIVersion, want)
	}
	return nil
}

// InType returns err, which decoding a configuration returned, as an error about the type of into: whoever shows it can
// find the field that was meant by a misspelt one.
func InType(err error, into any) error {
	if err == nil {
		return nil
	}
	return &typedError{err, reflect.TypeOf(into)}
}

// A typedError is an error about the fields of a type. GoType is found by assertion.
type typedError struct {
	error
	of reflect.Type
}

func (e *typedError) GoType() reflect.Type { return e.of }

func (e *typedError) Unwrap() error { return e.error }
