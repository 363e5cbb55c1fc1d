package jsonread

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"unicode"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/pkg/kubeversion"
)

// Error returns the error of the release's decoder about data of that kind, which today's decoder refuses with err. into
// is an empty value of the type that the data is read into. If the decoder of the release accepts the data, it has read
// them into it, and there is no error.
func Error(err error, data []byte, into any, kind schema.GroupVersionKind, r *kubeversion.Release) error {
	if errors.As(err, &endlessError{}) {
		return err
	}
	if r.Has(kubeversion.JSONReadBySIGs) {
		return withoutEmbedded(err, r)
	}
	return iterated(data, into, kind, r)
}

// withoutEmbedded removes embedded Go structs from the path in an error, for releases before 1.35, whose version of
// sigs.k8s.io/json did not include them.
func withoutEmbedded(err error, r *kubeversion.Release) error {
	var wrong *json.UnmarshalTypeError
	if r.Has(kubeversion.EmbeddedStructsNamed) || !errors.As(err, &wrong) {
		return err
	}
	names := strings.Split(wrong.Field, ".")
	wrong.Field = strings.Join(slices.DeleteFunc(names, func(name string) bool { return name != "" && unicode.IsUpper(rune(name[0])) }), ".")
	return err
}
