package admission

import (
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"
)

// Annotations collects the audit annotations of one request. The first value of a key
// stays (W-249), and keys that are no qualified names are dropped in silence (W-248). The
// zero value is ready.
type Annotations struct {
	values map[string]string
}

// Add records value under key.
func (a *Annotations) Add(key, value string) {
	if _, taken := a.values[key]; taken || !ValidAnnotationKey(key) {
		return
	}
	if a.values == nil {
		a.values = map[string]string{}
	}
	a.values[key] = value
}

// Map returns what was recorded, nil where nothing was.
func (a *Annotations) Map() map[string]string { return a.values }

// ValidAnnotationKey tells whether the server takes key for an audit annotation: a
// qualified name with a prefix (kubernetes/apiserver:pkg/admission/attributes.go).
func ValidAnnotationKey(key string) bool {
	prefix, name, found := strings.Cut(key, "/")
	if !found || prefix == "" || name == "" {
		return false
	}
	return len(validation.IsQualifiedName(key)) == 0
}
