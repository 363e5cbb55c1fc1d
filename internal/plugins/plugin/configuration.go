package plugin

import (
	"fmt"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	kjson "sigs.k8s.io/json"
)

// Configured reads a plugin's configuration, which has to be of one of kinds, each written as apiVersion and kind with
// a space between them. Unknown and duplicate fields are errors.
func Configured(data []byte, into any, kinds ...string) error {
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
	strict, err := kjson.UnmarshalStrict(data, into)
	if err == nil && len(strict) > 0 {
		err = runtime.NewStrictDecodingError(strict)
	}
	return err
}
