package text

import (
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// A kubectlError is a status in the words of kubectl: a label, and one text after it or several below it. It leaves out
// what kubectl create -f FILE puts before the message, that there was an error when creating FILE.
type kubectlError struct {
	label string
	texts []string
}

// kubectlErrorOf words a status as kubectl does:
// kubernetes/kubernetes:staging/src/k8s.io/kubectl/pkg/cmd/util/helpers.go, checkErr and StandardErrorMessage.
func kubectlErrorOf(s *metav1.Status) kubectlError {
	switch s.Reason {
	case metav1.StatusReasonInvalid:
		return invalidError(s)
	case metav1.StatusReasonUnauthorized:
		return kubectlError{"error:", []string{fmt.Sprintf("You must be logged in to the server (%s)", s.Message)}}
	case "":
		return kubectlError{"Error from server:", []string{s.Message}}
	}
	return kubectlError{fmt.Sprintf("Error from server (%s):", s.Reason), []string{s.Message}}
}

// invalidError has the causes instead of the message, which mostly repeats them.
func invalidError(s *metav1.Status) kubectlError {
	e, details := kubectlError{label: "The request is invalid"}, s.Details
	if details == nil {
		details = &metav1.StatusDetails{}
	}
	seen := map[string]bool{}
	for _, c := range details.Causes {
		if text := c.Field + ": " + c.Message; !seen[text] {
			seen[text] = true
			e.texts = append(e.texts, text)
		}
	}
	if details.Kind != "" || details.Name != "" {
		e.label = fmt.Sprintf("The %s %q is invalid", details.Kind, details.Name)
	} else if s.Message != "" && len(e.texts) == 0 {
		e.texts = []string{s.Message}
	}
	if len(e.texts) > 0 {
		e.label += ":"
	}
	return e
}

// write shows the error; several texts are shown below the label.
func (e kubectlError) write(p *page, indent int) {
	if len(e.texts) == 1 {
		p.labelled(indent, p.bad, e.label, e.texts[0])
		return
	}
	p.line(indent, p.paint(p.bad, e.label))
	for _, text := range e.texts {
		p.labelled(indent, "", "*", text)
	}
}
