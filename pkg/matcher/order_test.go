package matcher

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	admissionv1 "k8s.io/api/admission/v1"

	"github.com/admsim/admsim/pkg/admission"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/discovery"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// Up to 1.19 rules are checked first. A selector that fails is therefore only evaluated if the rules match, and ends
// the request whatever the next selector would decide (W-127).
func TestRulesFirst(t *testing.T) {
	state := cluster.New()
	w := World{State: state, Resources: discovery.New(kubeversion.Default(), state)}
	request := admission.Request{
		Operation: admissionv1.Create, Resource: gvr("", "v1", "pods"), Kind: gvk("", "v1", "Pod"), Namespace: "gone", Name: "p",
	}
	pods, services := ruleOf("CREATE", "", "v1", "pods"), ruleOf("CREATE", "", "v1", "services")
	for _, test := range []struct {
		reason, now, before string
		hook                Criteria
	}{
		{
			reason: "the namespace does not exist, and the object is not selected",
			hook:   Criteria{Rules: []namedRule{pods}, NamespaceSelector: selects("a", "b"), ObjectSelector: selects("a", "b")},
			now:    "skipped: objectSelector", before: "refused: namespaceSelector",
		},
		{
			reason: "the namespace does not exist, and no rule matches",
			hook:   Criteria{Rules: []namedRule{services}, NamespaceSelector: selects("a", "b"), ObjectSelector: empty()},
			now:    "skipped: rules", before: "skipped: rules",
		},
		{
			reason: "neither rule nor object match",
			hook:   Criteria{Rules: []namedRule{services}, NamespaceSelector: empty(), ObjectSelector: selects("a", "b")},
			now:    "skipped: objectSelector", before: "skipped: rules",
		},
		{
			reason: "everything matches",
			hook:   Criteria{Rules: []namedRule{pods}, NamespaceSelector: empty(), ObjectSelector: empty()},
			now:    "applies", before: "applies",
		},
	} {
		answer := func(first bool) string {
			w := w
			w.RulesFirst = first
			switch r := Compile(test.hook).Match(request, w); {
			case r.Applies:
				return "applies"
			case r.Denial != nil:
				return "refused: " + string(r.Decided)
			default:
				return "skipped: " + string(r.Decided)
			}
		}
		if diff := cmp.Diff([]string{test.now, test.before}, []string{answer(false), answer(true)}); diff != "" {
			t.Errorf("%s (-want now, before +got):\n%s", test.reason, diff)
		}
	}
}
