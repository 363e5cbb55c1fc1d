package expression_test

import (
	"fmt"
	"strings"
	"testing"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	resourcev1beta1 "k8s.io/api/resource/v1beta1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/admsim/admsim/pkg/expression"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// Functions exist in CEL since some release (kubernetes/apiserver:pkg/cel/environment/base.go). Stored expressions may
// use them from that release on, expressions in a request from the next one on (W-325), except for the first release with
// policies. The same is true for webhooks and policies.
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
			writable := minor > w.since || minor == 27 && known
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

// Up to 1.27, a search is a method only (W-349).
func TestSearchFunction(t *testing.T) {
	const at = "compilation failed: ERROR: <input>:1:8: found no matching overload for 'matches' applied to '(dyn, string)'"
	for release, want := range map[string]string{"1.27": at, "1.28": ""} {
		r, err := kubeversion.Parse(release)
		if err != nil {
			t.Fatal(err)
		}
		errs := expression.New(r).CheckConditions(conditions("matches(object.kind, 'a') || object.kind.matches('a')"), field.NewPath("c"), nil)
		if got := fmt.Sprint(errs); (want == "") != (len(errs) == 0) || !strings.Contains(got, want) {
			t.Errorf("%s: got %s, want %q", release, got, want)
		}
	}
}

// The CEL library of 1.33 brought functions to all expressions, including new ones (W-345).
func TestLackedFunctions(t *testing.T) {
	for _, text := range []string{`[1].first().hasValue()`, `[1].last().hasValue()`, `optional.unwrap([optional.of(1)]) == [1]`, `[optional.of(1)].unwrapOpt() == [1]`} {
		for _, test := range []struct {
			release string
			known   bool
		}{{"1.28", false}, {"1.30", false}, {"1.32", false}, {"1.33", true}, {"1.37", true}} {
			release, err := kubeversion.Parse(test.release)
			if err != nil {
				t.Fatal(err)
			}
			c := expression.New(release)
			in := create(configMap("c", map[string]string{"a": "1"}))
			if err := c.Conditions(conditions(text)).Evaluate(t.Context(), in).Failure(); (err == nil) != test.known {
				t.Errorf("%s in %s, stored: %v, want an error: %v", text, test.release, err, !test.known)
			}
			if errs := c.CheckConditions(conditions(text), field.NewPath("c"), nil); (len(errs) == 0) != test.known {
				t.Errorf("%s in %s, written: %v, want an error: %v", text, test.release, errs, !test.known)
			}
		}
	}
}

// Up to 1.36, arithmetic on a quantity with too many digits for an int64 changes it (W-348).
func TestSharedQuantities(t *testing.T) {
	for text, changes := range map[string]bool{
		`[quantity('1234567890123456789012')].all(q, q.add(1).compareTo(q) == 0)`:                                  true,
		`[quantity('1234567890123456789012')].all(q, q.add(quantity('1')).compareTo(q) == 0)`:                      true,
		`[quantity('1234567890123456789012')].all(q, q.sub(1).compareTo(q) == 0)`:                                  true,
		`[quantity('1234567890123456789012')].all(q, q.sub(quantity('1234567890123456789012')).compareTo(q) == 0)`: true,
		`[quantity('1k')].all(q, q.add(1).compareTo(q) == 0)`:                                                      false,
		`[quantity('1k')].all(q, q.sub(quantity('1')).compareTo(q) == 0)`:                                          false,
	} {
		for _, test := range []struct {
			release string
			shared  bool
		}{{"1.28", true}, {"1.36", true}, {"1.37", false}} {
			release, err := kubeversion.Parse(test.release)
			if err != nil {
				t.Fatal(err)
			}
			verdict := expression.New(release).Scope(nil, false).Validations([]string{text}).Evaluate(t.Context(), create(configMap("c", nil)), 1<<20).List[0]
			if got, want := verdict.Err == nil && verdict.Value == true, changes && test.shared; got != want {
				t.Errorf("%s in %s: %v, want %v: %v", text, test.release, got, want, verdict.Err)
			}
		}
	}
}

// Expressions find fields where the release has them (CV-09, CV-10).
func TestMovedFields(t *testing.T) {
	pod := &corev1.Pod{
		TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Pod"},
		Spec:     corev1.PodSpec{ResourceClaims: []corev1.PodResourceClaim{{Name: "r", ResourceClaimName: new("c")}}},
	}
	slice := &resourcev1.ResourceSlice{
		TypeMeta: metav1.TypeMeta{APIVersion: "resource.k8s.io/v1", Kind: "ResourceSlice"},
		Spec: resourcev1.ResourceSliceSpec{Devices: []resourcev1.Device{{
			NodeAllocatableResources: map[corev1.ResourceName]resourcev1.NodeAllocatableResource{
				"cpu": {Mapping: &resourcev1.NodeAllocatableMapping{CapacityMultiplier: new(resource.MustParse("2"))}},
			},
		}}},
	}
	for _, test := range []struct {
		release, text string
		object        runtime.Object
	}{
		{"1.30", "object.spec.resourceClaims[0].source.resourceClaimName == 'c' && !has(object.spec.resourceClaims[0].resourceClaimName)", pod},
		{"1.31", "object.spec.resourceClaims[0].resourceClaimName == 'c' && !has(object.spec.resourceClaims[0].source)", pod},
		{"1.36", "object.spec.devices[0].nodeAllocatableResourceMappings.cpu.allocationMultiplier == '2' && !has(object.spec.devices[0].nodeAllocatableResources)", slice},
		{"1.37", "object.spec.devices[0].nodeAllocatableResources.cpu.mapping.capacityMultiplier == '2'", slice},
	} {
		release, err := kubeversion.Parse(test.release)
		if err != nil {
			t.Fatal(err)
		}
		in := create(test.object)
		got := expression.New(release).Scope(nil, false).Validations([]string{test.text}).Evaluate(t.Context(), in, 1<<20).List[0]
		if got.Err != nil || got.Value != true {
			t.Errorf("%s in %s = %v, %v, want true", test.text, test.release, got.Value, got.Err)
		}
	}
}

// Up to 1.31 a question to the authorizer costs no more than any other call, unless a gate says otherwise: one for
// policies, one for webhooks (W-286; kubernetes/apiserver:pkg/cel/environment/base.go, StrictCostOpt).
func TestLibraryCosts(t *testing.T) {
	const question = "authorizer.group('').resource('pods').check('get').reason() != 'none'"
	text := strings.Repeat(question+" && ", 39) + question
	const policies, webhooks = "StrictCostEnforcementForVAP", "StrictCostEnforcementForWebhooks"
	for _, test := range []struct {
		release         string
		gates           map[string]bool
		policy, webhook bool // whether it is evaluated
	}{
		{release: "1.29", policy: true, webhook: true},
		{release: "1.31", policy: true, webhook: true},
		{release: "1.31", gates: map[string]bool{policies: true}, webhook: true},
		{release: "1.31", gates: map[string]bool{webhooks: true}, policy: true},
		{release: "1.30", gates: map[string]bool{policies: true, webhooks: true}},
		{release: "1.32"},
		{release: kubeversion.Default().Version},
	} {
		release, err := kubeversion.Parse(test.release)
		if err == nil {
			release, err = release.With(kubeversion.Flags{FeatureGates: test.gates})
		}
		if err != nil {
			t.Fatal(err)
		}
		c, in := expression.New(release), create(configMap("c", nil))
		policy := c.Scope(nil, false).Validations([]string{text}).Evaluate(t.Context(), in, 1<<40)
		if err := policy.List[0].Err; (err == nil) != test.policy {
			t.Errorf("%s with %v: a policy says %v, want an answer: %v", test.release, test.gates, err, test.policy)
		}
		webhook := c.Conditions(conditions(text)).Evaluate(t.Context(), in)
		if err := webhook.Failure(); (err == nil) != test.webhook {
			t.Errorf("%s with %v: a webhook's condition says %v, want an answer: %v", test.release, test.gates, err, test.webhook)
		}
	}
}

// Expressions find fields that are not set where the release writes them (W-138).
func TestUnsetFields(t *testing.T) {
	claim := &resourcev1beta1.ResourceClaim{
		TypeMeta: metav1.TypeMeta{APIVersion: "resource.k8s.io/v1beta1", Kind: "ResourceClaim"},
		Status: resourcev1beta1.ResourceClaimStatus{Allocation: &resourcev1beta1.AllocationResult{
			Devices: resourcev1beta1.DeviceAllocationResult{Results: make([]resourcev1beta1.DeviceRequestAllocationResult, 1)},
		}},
	}
	const text = `object.status.allocation.devices.results.exists(r, has(r.adminAccess) && r.adminAccess == null)`
	for release, written := range map[string]bool{"1.31": false, "1.32": true, "1.33": true, "1.34": false} {
		r, err := kubeversion.Parse(release)
		if err != nil {
			t.Fatal(err)
		}
		verdict := expression.New(r).Scope(nil, false).Validations([]string{text}).Evaluate(t.Context(), create(claim), 1<<20).List[0]
		if verdict.Err != nil || verdict.Value != written {
			t.Errorf("%s: %v, %v, want %v", release, verdict.Value, verdict.Err, written)
		}
	}
}
