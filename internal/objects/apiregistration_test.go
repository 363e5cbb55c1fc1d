package objects_test

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/internal/builtin"
	"github.com/admsim/admsim/internal/objects"
	"github.com/admsim/admsim/internal/objects/kinds"
)

func TestAPIServices(t *testing.T) {
	types := kinds.New(nil, objects.Options{})
	kind := builtin.APIRegistrationV1.WithKind("APIService")
	w := objects.Write{Resource: schema.GroupVersionResource{Group: kind.Group, Version: kind.Version, Resource: "apiservices"}, Now: time.Unix(0, 0)}
	for _, test := range []struct {
		reason, name, spec string
		want               []string
	}{
		{"served by the server", "v1.x.example", `{"group":"x.example","version":"v1","groupPriorityMinimum":9,"versionPriority":9}`, nil},
		{"another name", "x", `{"group":"x.example","version":"v1","groupPriorityMinimum":9,"versionPriority":9}`,
			[]string{`metadata.name: Invalid value: "x": must be ` + "`spec.version+\".\"+spec.group`" + `: "v1.x.example"`}},
		{"priorities are needed", "v1.x.example", `{"group":"x.example","version":"v1"}`, []string{
			`spec.groupPriorityMinimum: Invalid value: 0: must be positive and less than 20000`,
			`spec.versionPriority: Invalid value: 0: must be positive and less than 1000`}},
		{"a service needs a name", "v1.x.example", `{"group":"x.example","version":"v1","groupPriorityMinimum":9,"versionPriority":9,"service":{"namespace":"a"}}`,
			[]string{"spec.service.name: Required value"}},
		{"no CA bundle", "v1.x.example", `{"group":"x.example","version":"v1","groupPriorityMinimum":9,"versionPriority":9,"insecureSkipTLSVerify":true}`,
			[]string{"spec.insecureSkipTLSVerify: Invalid value: true: local APIServices may not have insecureSkipTLSVerify"}},
	} {
		body := `{"metadata":{"name":"` + test.name + `"},"spec":` + test.spec + `}`
		obj, _, err := types.Decode([]byte(body), kind, objects.Strict)
		if err != nil {
			t.Fatalf("%s: %v", test.reason, err)
		}
		obj = types.PrepareForCreate(obj, w)
		var got []string
		for _, e := range types.Validate(obj, w) {
			got = append(got, e.Error())
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.reason, diff)
		}
		s := obj.(*builtin.APIService)
		available := slices.ContainsFunc(s.Status.Conditions, func(c builtin.APIServiceCondition) bool {
			return c.Type == "Available" && c.Status == metav1.ConditionTrue && c.Reason == "Local"
		})
		if available != (s.Spec.Service == nil) {
			t.Errorf("%s: available: %v, want true only for what the server serves itself", test.reason, available)
		}
	}
}
