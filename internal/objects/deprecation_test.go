package objects_test

import (
	"testing"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/internal/objects"
	"github.com/admsim/admsim/internal/objects/kinds"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// Users of a version are warned from the release on that deprecated it.
func TestDeprecationByRelease(t *testing.T) {
	for _, test := range []struct{ release, apiVersion, kind, want string }{
		{"1.20", "policy/v1beta1", "PodDisruptionBudget", ""},
		{"1.21", "policy/v1beta1", "PodDisruptionBudget", "policy/v1beta1 PodDisruptionBudget is deprecated in v1.21+, unavailable in v1.25+; use policy/v1 PodDisruptionBudget"},
		{"1.20", "policy/v1beta1", "PodSecurityPolicy", ""},
		{"1.21", "policy/v1beta1", "PodSecurityPolicy", "policy/v1beta1 PodSecurityPolicy is deprecated in v1.21+, unavailable in v1.25+"},
		{"1.21", "autoscaling/v2beta1", "HorizontalPodAutoscaler", ""},
		{"1.22", "autoscaling/v2beta1", "HorizontalPodAutoscaler", "autoscaling/v2beta1 HorizontalPodAutoscaler is deprecated in v1.22+, unavailable in v1.25+; use autoscaling/v2beta2 HorizontalPodAutoscaler"},
		{"1.23", "autoscaling/v2beta1", "HorizontalPodAutoscaler", "autoscaling/v2beta1 HorizontalPodAutoscaler is deprecated in v1.22+, unavailable in v1.25+; use autoscaling/v2 HorizontalPodAutoscaler"},
		{"1.30", "admissionregistration.k8s.io/v1alpha1", "ValidatingAdmissionPolicy", ""},
		{"1.30", "certificates.k8s.io/v1alpha1", "ClusterTrustBundle", "certificates.k8s.io/v1alpha1 ClusterTrustBundle is deprecated in v1.29+, unavailable in v1.32+"},
		{"1.24", "flowcontrol.apiserver.k8s.io/v1beta1", "FlowSchema", "flowcontrol.apiserver.k8s.io/v1beta1 FlowSchema is deprecated in v1.23+, unavailable in v1.26+; use flowcontrol.apiserver.k8s.io/v1beta2 FlowSchema"},
		{"1.23", "autoscaling/v2beta2", "HorizontalPodAutoscaler", "autoscaling/v2beta2 HorizontalPodAutoscaler is deprecated in v1.23+, unavailable in v1.26+; use autoscaling/v2 HorizontalPodAutoscaler"},
		{"1.18", "apiregistration.k8s.io/v1beta1", "APIService", ""},
		{"1.19", "apiregistration.k8s.io/v1beta1", "APIService", "apiregistration.k8s.io/v1beta1 APIService is deprecated in v1.19+, unavailable in v1.22+; use apiregistration.k8s.io/v1 APIService"},
		{"1.19", "apiregistration.k8s.io/v1", "APIService", ""},
		{"1.19", "extensions/v1beta1", "Ingress", "extensions/v1beta1 Ingress is deprecated in v1.14+, unavailable in v1.22+; use networking.k8s.io/v1 Ingress"},
	} {
		release, err := kubeversion.Parse(test.release)
		if err != nil {
			t.Fatal(err)
		}
		types := kinds.New(nil, objects.Options{Release: release})
		if got := types.Deprecation(schema.FromAPIVersionAndKind(test.apiVersion, test.kind)); got != test.want {
			t.Errorf("%s warns of %s %s: %q, want %q", test.release, test.apiVersion, test.kind, got, test.want)
		}
	}
}
