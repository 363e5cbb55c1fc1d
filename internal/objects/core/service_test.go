package core

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"

	"github.com/admsim/admsim/internal/objects/rules"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// The addresses of a service and their families stay the same, except for the second address and family.
func TestKeptAddresses(t *testing.T) {
	const four, six = "10.0.0.9", "fd00::9"
	spec := func(policy corev1.IPFamilyPolicy, ips ...string) *corev1.Service {
		return &corev1.Service{Spec: corev1.ServiceSpec{Type: corev1.ServiceTypeClusterIP, IPFamilyPolicy: &policy, ClusterIPs: ips}}
	}
	for _, test := range []struct {
		reason   string
		old, new *corev1.Service
		want     []string
	}{
		{"nothing changes", spec("SingleStack", four), spec("SingleStack", four), nil},
		{"the first changes", spec("SingleStack", four), spec("SingleStack", "10.0.0.8"), []string{`spec.clusterIPs[0]: Invalid value: ["10.0.0.8"]: may not change once set`}},
		{"a second is added", spec("SingleStack", four), spec("PreferDualStack", four, six), nil},
		{"the second is released on purpose", spec("PreferDualStack", four, six), spec("SingleStack", four), nil},
		{"the second is lost", spec("PreferDualStack", four, six), spec("PreferDualStack", four), []string{`spec.ipFamilyPolicy: Invalid value: "PreferDualStack": must be set to 'SingleStack' when releasing the secondary clusterIP`}},
		{"all are lost", spec("SingleStack", four), spec("SingleStack"), []string{`spec.clusterIPs[0]: Invalid value: null: primary clusterIP can not be unset`}},
		{"it stays headless", spec("SingleStack", "None"), spec("SingleStack", "None"), nil},
	} {
		var got []string
		for _, err := range keptAddresses(test.new, test.old, rules.Request{Options: rules.Options{Release: kubeversion.Default()}}) {
			got = append(got, err.Error())
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.reason, diff)
		}
	}
}
