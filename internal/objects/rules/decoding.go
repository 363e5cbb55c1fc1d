package rules

import (
	"fmt"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// FaultTexts returns the warnings about faults. An error of the YAML library has a line for each of its own:
// kubernetes/apiserver:pkg/endpoints/handlers/rest.go, parseYAMLWarnings.
func FaultTexts(faults []error) []string {
	var texts []string
	for _, f := range faults {
		text := strings.TrimPrefix(f.Error(), "error converting YAML to JSON: ")
		lines, several := strings.CutPrefix(text, "yaml: unmarshal errors:\n")
		if !several {
			texts = append(texts, f.Error())
			continue
		}
		for line := range strings.SplitSeq(lines, "\n") {
			texts = append(texts, strings.TrimSpace(line))
		}
	}
	return texts
}

// DecodeError returns the answer to a body that cannot be read: kubernetes/apiserver:pkg/endpoints/handlers/rest.go,
// transformDecodeError.
func DecodeError(err error, kind string, body schema.GroupVersionKind, data []byte) error {
	if body.Kind != "" {
		return apierrors.NewBadRequest(fmt.Sprintf("%s in version %q cannot be handled as a %s: %v", body.Kind, body.Version, kind, err))
	}
	return apierrors.NewBadRequest(fmt.Sprintf("the object provided is unrecognized (must be of type %s): %v (%s)", kind, err, summarize(data)))
}

// summarize returns the beginning of a body: as text if it looks like JSON, otherwise in hexadecimal.
func summarize(data []byte) string {
	const most = 30
	switch {
	case len(data) == 0:
		return "<empty>"
	case strings.HasPrefix(string(data), "{") && len(data) > most:
		return string(data[:most]) + " ..."
	case strings.HasPrefix(string(data), "{"):
		return string(data)
	case len(data) > most:
		return fmt.Sprintf("%x ...", data[:most])
	}
	return fmt.Sprintf("%x", data)
}

func WrongVersion(body, want schema.GroupVersion) error {
	return apierrors.NewBadRequest(fmt.Sprintf("the API version in the data (%s) does not match the expected API version (%s)", body, want))
}

// Strictness says how unknown and duplicate fields are handled: the query parameter fieldValidation.
type Strictness int

const (
	Ignore Strictness = iota
	Warn
	Strict
)
