package simulator_test

import (
	"context"
	"testing"

	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/dispatch"
	"github.com/admsim/admsim/pkg/simulator"
)

// The backends of a fork answer for its webhooks, even if the webhooks were compiled before, and after changes of the
// cluster that webhooks do not depend on. The original simulator keeps its own backends.
func TestForkAnsweredByOthers(t *testing.T) {
	for _, hooks := range [][2]int{{1, 0}, {0, 1}} { // mutating, validating
		sim := shop(t, hooks[0], hooks[1])
		denies, err := dispatch.NewMock(nil, dispatch.Answer{Deny: &metav1.Status{Message: "by the fork"}})
		if err != nil {
			t.Fatal(err)
		}
		fork, err := sim.Fork(simulator.CountUIDs(), func(_, _ string) dispatch.Backend { return denies })
		if err != nil {
			t.Fatal(err)
		}
		role := cluster.Object{Object: &rbacv1.Role{
			TypeMeta:   metav1.TypeMeta{APIVersion: "rbac.authorization.k8s.io/v1", Kind: "Role"},
			ObjectMeta: metav1.ObjectMeta{Name: "reader", Namespace: "default"},
		}}
		for name, s := range map[string]*simulator.Simulator{"as it was": sim, "the fork": fork} {
			want := 201
			if s == fork {
				want = 400
			}
			later, err := s.With(s.State().With(role))
			if err != nil {
				t.Fatal(err)
			}
			for when, s := range map[string]*simulator.Simulator{"at first": s, "with a role": later} {
				result, err := s.Do(context.Background(), newConfigMap)
				if err != nil {
					t.Fatal(err)
				}
				if result.Code != want {
					t.Errorf("%v webhooks, %s, %s: code %d, want %d", hooks, name, when, result.Code, want)
				}
			}
		}
	}
}
