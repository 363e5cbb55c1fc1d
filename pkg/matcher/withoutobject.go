package matcher

import (
	"fmt"
	"regexp"
	"slices"
	"sync"

	admissionv1 "k8s.io/api/admission/v1"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/pkg/admission"
)

// WithoutObject returns c without the criteria that depend on the object, for a request whose object is not known. open
// describes what the removed criteria select.
func (c Criteria) WithoutObject(req admission.Request) (_ Criteria, open []string) {
	if req.Resource.GroupResource() == namespaces && asksForLabels(c.NamespaceSelector) {
		open = append(open, "namespaceSelector asks the namespace for "+metav1.FormatLabelSelector(c.NamespaceSelector))
		c.NamespaceSelector = &metav1.LabelSelector{}
	}
	if asksForLabels(c.ObjectSelector) {
		open = append(open, "objectSelector asks for "+metav1.FormatLabelSelector(c.ObjectSelector))
		c.ObjectSelector = &metav1.LabelSelector{}
	}
	if req.Name == "" && slices.ContainsFunc(c.Rules, hasNames) {
		open = append(open, "resourceNames ask for a name")
		c.Rules = slices.Clone(c.Rules)
		for i := range c.Rules {
			c.Rules[i].ResourceNames = nil
		}
	}
	return c, open
}

func hasNames(r admissionregistrationv1.NamedRuleWithOperations) bool {
	return len(r.ResourceNames) > 0
}

func asksForLabels(s *metav1.LabelSelector) bool {
	return s != nil && len(s.MatchLabels)+len(s.MatchExpressions) > 0
}

var namespaces = schema.GroupResource{Resource: "namespaces"}

// Expressions that read the object, the old object or the name.
var (
	readsObject    = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\bobject\b`) })
	readsOldObject = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\boldObject\b`) })
	readsName      = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\brequest\.name\b`) })
)

// ConditionsWithoutObject returns the match conditions that do not depend on the object, for a request whose object is
// not known, and describes those that do. A condition that merely has the word in a string also counts as one that
// does: one warning too many is better than one too few. That there is no object in a DELETE, and no old object in a
// CREATE or CONNECT, is known.
func ConditionsWithoutObject(all []admissionregistrationv1.MatchCondition, req admission.Request) (known []admissionregistrationv1.MatchCondition, open []string) {
	for _, c := range all {
		object := req.Operation != admissionv1.Delete && readsObject().MatchString(c.Expression)
		old := (req.Operation == admissionv1.Delete || req.Operation == admissionv1.Update) && readsOldObject().MatchString(c.Expression)
		if object || old || req.Name == "" && readsName().MatchString(c.Expression) {
			open = append(open, fmt.Sprintf("matchCondition %q looks at the object", c.Name))
			continue
		}
		known = append(known, c)
	}
	return known, open
}
