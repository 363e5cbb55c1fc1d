package matcher

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"
	admissionv1 "k8s.io/api/admission/v1"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/admsim/admsim/pkg/admission"
	"github.com/admsim/admsim/pkg/expression"
	"github.com/admsim/admsim/pkg/kubeversion"
)

func TestConditions(t *testing.T) {
	const (
		yes    = "request.name == 'p'"
		no     = "request.name == 'q'"
		failed = "object.metadata.foo == 'x'"
		broken = "object.data.bar == 'x'"
		old    = "params.x" // does not compile (W-117)
		costly = "[0,1,2,3,4,5,6,7,8,9].all(a, [0,1,2,3,4,5,6,7,8,9].all(b, [0,1,2,3,4,5,6,7,8,9].all(c, " +
			"[0,1,2,3,4,5,6,7,8,9].all(d, [0,1,2,3,4,5,6,7,8,9].all(e, a+b+c+d+e >= 0)))))"

		failedText = "expression 'object.metadata.foo == 'x'' resulted in error: no such key: foo"
		brokenText = "expression 'object.data.bar == 'x'' resulted in error: no such key: data"
	)
	fail, ignore := admissionregistrationv1.Fail, admissionregistrationv1.Ignore
	compiler := expression.New(kubeversion.Default())
	w := worldOf()

	pod := podRequest(admissionv1.Create, "shop")
	pod.Object = &corev1.Pod{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "Pod"},
		ObjectMeta: metav1.ObjectMeta{Name: "p", Namespace: "shop"},
	}
	unnamed := pod
	unnamed.Name = ""

	for _, c := range []struct {
		reason      string
		request     admission.Request
		policy      *admissionregistrationv1.FailurePolicyType
		expressions []string
		want        string
		denial      string
	}{
		{"W-116 none", pod, &fail, nil,
			"applies: rule 0 matches", ""},
		{"W-121 one true", pod, &fail, []string{yes},
			`applies: rule 0 matches, matchCondition "a" is true`, ""},
		{"W-121 all true", pod, &ignore, []string{yes, yes},
			"applies: rule 0 matches, all 2 matchConditions are true", ""},
		{"W-121 one false", pod, &fail, []string{yes, no, no},
			`skipped: matchCondition "b": false`, ""},
		{"W-121 false, then an error", pod, &fail, []string{no, failed},
			`skipped: matchCondition "a": false`, ""},
		{"W-120 an error, then false", pod, &fail, []string{failed, no},
			`skipped: matchCondition "b": false`, ""},
		{"W-122 true, then an error", pod, &fail, []string{yes, failed},
			`refused 403: matchCondition "b": ` + failedText, `pods "p" is forbidden: ` + failedText},
		{"W-124 no failurePolicy is Fail", pod, nil, []string{failed},
			`refused 403: matchCondition "a": ` + failedText, `pods "p" is forbidden: ` + failedText},
		{"W-121 an error ignored", pod, &ignore, []string{yes, failed},
			`skipped: matchCondition "b": ` + failedText + " (failurePolicy Ignore)", ""},
		{"W-122 two errors", pod, &fail, []string{failed, broken},
			`refused 403: matchCondition "a": ` + failedText, `pods "p" is forbidden: [` + failedText + ", " + brokenText + "]"},
		{"W-122 of an unnamed object", unnamed, &fail, []string{failed},
			`refused 403: matchCondition "a": ` + failedText, "pods is forbidden: " + failedText},
		{"W-123 out of budget, although one is false", pod, &fail, []string{no, costly, costly, costly, costly},
			"refused 403: matchConditions: validation failed due to running out of cost budget, no further validation rules will be run",
			`pods "p" is forbidden: validation failed due to running out of cost budget, no further validation rules will be run`},
		{"W-121 out of budget, ignored", pod, &ignore, []string{no, costly, costly, costly, costly},
			"skipped: matchConditions: validation failed due to running out of cost budget, no further validation rules will be run (failurePolicy Ignore)", ""},
		{"W-117 an expression that does not compile, ignored", pod, &ignore, []string{old, no},
			`skipped: matchCondition "b": false`, ""},
	} {
		t.Run(c.reason, func(t *testing.T) {
			hook := hookOf(everything())
			hook.FailurePolicy = c.policy
			var conditions []admissionregistrationv1.MatchCondition
			for i, e := range c.expressions {
				conditions = append(conditions, admissionregistrationv1.MatchCondition{Name: string(rune('a' + i)), Expression: e})
			}
			hook.Conditions = compiler.Conditions(conditions)
			m := Compile(hook)
			if m.HasConditions() != (len(conditions) > 0) {
				t.Errorf("HasConditions() = %v, want %v", m.HasConditions(), len(conditions) > 0)
			}

			r := m.Match(c.request, w)
			r = m.Conditions(context.Background(), expression.Input{
				Request: c.request, Resource: r.Resource, Kind: r.Kind, Object: c.request.Object,
			}, r)
			if diff := cmp.Diff(c.want, answer(m, c.request, w, r)); diff != "" {
				t.Errorf("Conditions(%q) (-want +got):\n%s", c.expressions, diff)
			}
			if c.denial == "" {
				return
			}
			want := &metav1.Status{
				Status: metav1.StatusFailure, Code: 403, Reason: metav1.StatusReasonForbidden, Message: c.denial,
				Details: &metav1.StatusDetails{Name: c.request.Name, Kind: "pods"},
			}
			if diff := cmp.Diff(want, r.Denial); diff != "" {
				t.Errorf("Conditions(%q) denies (-want +got):\n%s", c.expressions, diff)
			}
			if got := c.request.Name; r.Cause == nil || got != "" && c.denial != `pods "p" is forbidden: `+r.Cause.Error() {
				t.Errorf("Conditions(%q) denies because of %v, want the error in %q", c.expressions, r.Cause, c.denial)
			}
		})
	}
}
