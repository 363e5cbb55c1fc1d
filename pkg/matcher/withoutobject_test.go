package matcher

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	admissionv1 "k8s.io/api/admission/v1"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/pkg/admission"
)

// Match conditions that do not read the object or its name can be evaluated without the object.
func TestConditionsWithoutObject(t *testing.T) {
	for _, tt := range []struct {
		expression, name string
		operation        admissionv1.Operation
		known            bool
		reason           string
	}{
		{`request.userInfo.username != "alice"`, "", admissionv1.Update, true, "who asks is known"},
		{`has(object.metadata.labels)`, "", admissionv1.Update, false, ""},
		{`oldObject == null`, "", admissionv1.Update, false, ""},
		{`request.objectish == 1`, "", admissionv1.Update, true, "another word"},
		{`request.userInfo.username == "object"`, "", admissionv1.Update, false, "a word in a text: once too often rather than too seldom"},
		{`request.name == "a"`, "", admissionv1.Update, false, "the name is that of the object"},
		{`request.name == "a"`, "a", admissionv1.Update, true, "unless it is given"},
		{`object.spec.replicas > 3`, "a", admissionv1.Delete, true, "a DELETE has no object"},
		{`oldObject.spec.replicas > 3`, "a", admissionv1.Delete, false, ""},
		{`oldObject == null`, "a", admissionv1.Create, true, "a CREATE has no old object"},
		{`object.spec.replicas > 3`, "a", admissionv1.Create, false, ""},
	} {
		conditions := []admissionregistrationv1.MatchCondition{{Name: "c", Expression: tt.expression}}
		known, open := ConditionsWithoutObject(conditions, admission.Request{Operation: tt.operation, Name: tt.name})
		if (len(known) == 1) != tt.known || len(known)+len(open) != 1 {
			t.Errorf("ConditionsWithoutObject(%s) = %v, %v: %s", tt.expression, known, open, tt.reason)
		}
	}
}

// Without the object, only the namespaceSelector can be evaluated, unless the object is a namespace.
func TestWithoutObject(t *testing.T) {
	team := &metav1.LabelSelector{MatchLabels: map[string]string{"team": "shop"}}
	criteria := Criteria{NamespaceSelector: team, ObjectSelector: team}
	for _, tt := range []struct {
		resource string
		criteria Criteria
		open     []string
	}{
		{"configmaps", criteria, []string{"objectSelector asks for team=shop"}},
		{"namespaces", criteria, []string{"namespaceSelector asks the namespace for team=shop", "objectSelector asks for team=shop"}},
		{"configmaps", Criteria{ObjectSelector: &metav1.LabelSelector{}}, nil},
		{"configmaps", Criteria{}, nil},
	} {
		rest, open := tt.criteria.WithoutObject(admission.Request{Resource: schema.GroupVersionResource{Version: "v1", Resource: tt.resource}})
		if diff := cmp.Diff(tt.open, open); diff != "" {
			t.Errorf("%s: -want +got\n%s", tt.resource, diff)
		}
		if asksForLabels(rest.ObjectSelector) {
			t.Errorf("%s: objectSelector was kept: %v", tt.resource, rest.ObjectSelector)
		}
		if (rest.ObjectSelector == nil) != (tt.criteria.ObjectSelector == nil) {
			t.Errorf("%s: objectSelector %v became %v, and null selects nothing", tt.resource, tt.criteria.ObjectSelector, rest.ObjectSelector)
		}
	}
}
