package objects

import (
	"fmt"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/validation/path"
)

// CheckKey refuses a name under which no object can be stored, for names that are not in a URL:
// kubernetes/apiserver:pkg/registry/generic/registry/store.go, NamespaceKeyFunc.
func CheckKey(name string) error {
	if name == "" {
		return apierrors.NewBadRequest("Name parameter required.")
	}
	if wrong := path.IsValidPathSegmentName(name); len(wrong) > 0 {
		return apierrors.NewBadRequest(fmt.Sprintf("Name parameter invalid: %q: %s", name, strings.Join(wrong, ";")))
	}
	return nil
}
