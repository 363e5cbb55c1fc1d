package expression_test

import (
	"fmt"
	"testing"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/admsim/admsim/pkg/expression"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// What CEL knows since which release (kubernetes/apiserver:pkg/cel/environment/base.go). What
// is stored may use it from that release on; what a request writes, from the next one on
// (W-325). Webhooks and policies speak the same language.
func TestWordsByRelease(t *testing.T) {
	words := []struct {
		reason, text string
		since        int
	}{
		{"regular expressions of Kubernetes", `'abc'.find('b') == 'b'`, 0},
		{"lists of Kubernetes", `[1, 2].sum() == 3`, 0},
		{"URLs", `isURL('https://example.com')`, 0},
		{"strings", `'a-b'.split('-').size() == 2`, 0},
		{"the authorizer", `authorizer.path('/x').check('get').allowed() || true`, 27},
		{"quantities", `quantity('1Gi').isGreaterThan(quantity('1Mi'))`, 28},
		{"optional fields", `object.?data.orValue({}) != null`, 28},
		{"comparing int and double", `1 < 1.5`, 28},
		{"format of strings", `'%d'.format([1]) == '1'`, 29},
		{"sets", `sets.contains([1, 2], [1])`, 29},
		{"addresses", `ip('10.0.0.1').family() == 4`, 30},
		{"ranges of addresses", `cidr('10.0.0.0/8').containsIP('10.0.0.1')`, 30},
		{"named formats", `!format.dns1123Label().validate('abc').hasValue()`, 31},
		{"selectors of the authorizer", `authorizer.group('').resource('pods').fieldSelector('a=b').labelSelector('a').check('list').allowed() || true`, 31},
		{"two variables", `{'a': 1}.all(k, v, k == 'a' && v == 1)`, 32},
		{"semantic versions", `semver('1.2.3').major() == 1`, 33},
		{"lists of CEL", `[2, 1].sort() == [1, 2]`, 34},
	}
	for minor := 27; minor <= 36; minor++ {
		release, err := kubeversion.Parse(fmt.Sprintf("1.%d", minor))
		if err != nil {
			t.Fatal(err)
		}
		c := expression.New(release)
		for _, w := range words {
			name := fmt.Sprintf("%s in 1.%d", w.reason, minor)
			in := create(configMap("c", map[string]string{"a": "1"}))
			known := minor >= w.since
			webhook := c.Conditions(conditions(w.text)).Evaluate(t.Context(), in)
			if got := webhook.Failure() == nil; got != known {
				t.Errorf("%s, a webhook's condition: works %v, want %v: %v", name, got, known, webhook.Failure())
			}
			policy := c.Scope(nil, false).Validations([]string{w.text}).Evaluate(t.Context(), in, 1<<20)
			if got := policy.List[0].Err == nil; got != known {
				t.Errorf("%s, a policy's validation: works %v, want %v: %v", name, got, known, policy.List[0].Err)
			}
			writable := minor > w.since
			if errs := c.CheckConditions(conditions(w.text), field.NewPath("c"), nil); (len(errs) == 0) != writable {
				t.Errorf("%s, written into a webhook: %v, want none: %v", name, errs, writable)
			}
			written := &admissionregistrationv1.ValidatingAdmissionPolicy{Spec: admissionregistrationv1.ValidatingAdmissionPolicySpec{
				Validations: []admissionregistrationv1.Validation{{Expression: w.text}},
			}}
			if errs := c.CheckValidatingPolicy(written, nil); (len(errs) == 0) != writable {
				t.Errorf("%s, written into a policy: %v, want none: %v", name, errs, writable)
			}
		}
	}
}
