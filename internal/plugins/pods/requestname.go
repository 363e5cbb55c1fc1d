package pods

import (
	"errors"
	"fmt"

	"k8s.io/apimachinery/pkg/api/validation/path"
)

// checkRequestName returns the error of the server's client for a name that does not fit into a URL, for which it sends no
// request. Plugins use the client for what their cache does not have: kubernetes/client-go:rest/request.go, Name.
func checkRequestName(name string) error {
	if name == "" {
		return errors.New("resource name may not be empty")
	}
	if wrong := path.IsValidPathSegmentName(name); len(wrong) > 0 {
		return fmt.Errorf("invalid resource name %q: %v", name, wrong)
	}
	return nil
}
