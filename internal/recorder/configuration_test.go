package recorder

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
)

const both = `apiVersion: admissionregistration.k8s.io/v1
kind: MutatingWebhookConfiguration
metadata:
  name: admsim-record
webhooks:
- admissionReviewVersions:
  - v1
  clientConfig:
    caBundle: YnVuZGxl
    service:
      name: recorder
      namespace: admsim
      path: /mutate
      port: 8443
  failurePolicy: Ignore
  matchConditions:
  - expression: '!(request.resource.group in ["authentication.k8s.io", "authorization.k8s.io",
      "coordination.k8s.io", "events.k8s.io"] || request.resource.group == "" && request.resource.resource
      == "events")'
    name: not-the-machinery
  name: mutate.record.admsim.dev
  namespaceSelector:
    matchExpressions:
    - key: kubernetes.io/metadata.name
      operator: NotIn
      values:
      - admsim
      - kube-system
  reinvocationPolicy: Never
  rules:
  - apiGroups:
    - '*'
    apiVersions:
    - '*'
    operations:
    - '*'
    resources:
    - '*/*'
    scope: '*'
  sideEffects: None
  timeoutSeconds: 5
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata:
  name: admsim-record
webhooks:
- admissionReviewVersions:
  - v1
  clientConfig:
    caBundle: YnVuZGxl
    service:
      name: recorder
      namespace: admsim
      path: /validate
      port: 8443
  failurePolicy: Ignore
  matchConditions:
  - expression: '!(request.resource.group in ["authentication.k8s.io", "authorization.k8s.io",
      "coordination.k8s.io", "events.k8s.io"] || request.resource.group == "" && request.resource.resource
      == "events")'
    name: not-the-machinery
  name: validate.record.admsim.dev
  namespaceSelector:
    matchExpressions:
    - key: kubernetes.io/metadata.name
      operator: NotIn
      values:
      - admsim
      - kube-system
  rules:
  - apiGroups:
    - '*'
    apiVersions:
    - '*'
    operations:
    - '*'
    resources:
    - '*/*'
    scope: '*'
  sideEffects: None
  timeoutSeconds: 5
`

const some = `apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata:
  name: mine
webhooks:
- admissionReviewVersions:
  - v1
  clientConfig:
    url: https://recorder.example.com/a/validate
  failurePolicy: Ignore
  name: validate.record.admsim.dev
  rules:
  - apiGroups:
    - ""
    apiVersions:
    - '*'
    operations:
    - '*'
    resources:
    - pods
    - pods/exec
    scope: '*'
  - apiGroups:
    - apps
    apiVersions:
    - '*'
    operations:
    - '*'
    resources:
    - deployments/scale
    scope: '*'
  sideEffects: None
  timeoutSeconds: 2
`

func TestConfiguration(t *testing.T) {
	service := &admissionregistrationv1.ServiceReference{Namespace: "admsim", Name: "recorder", Port: new(int32(8443))}
	for _, c := range []struct {
		reason string
		config Configuration
		want   string
	}{
		{"a service that records everything", Configuration{Service: service, CABundle: []byte("bundle"), ExcludeNamespaces: []string{"kube-system", "admsim"}}, both},
		{"some resources at a URL", Configuration{
			Name: "mine", URL: "https://recorder.example.com/a/", Phases: []string{Validating}, Timeout: 2 * time.Second,
			Resources: []string{"pods", "deployments.apps/scale", "pods/exec"},
		}, some},
	} {
		got, err := c.config.YAML()
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(c.want, string(got)); diff != "" {
			t.Errorf("%s: %s", c.reason, diff)
		}
	}
}

func TestConfigurationFails(t *testing.T) {
	for _, c := range []struct {
		config Configuration
		want   string
	}{
		{Configuration{}, "either a service or a URL"},
		{Configuration{URL: "https://a", Timeout: time.Minute}, "from 1 to 30"},
		{Configuration{URL: "https://a", Timeout: 1500 * time.Millisecond}, "not a number of seconds"},
		{Configuration{URL: "https://a", Phases: []string{"audit"}}, `phase "audit" is not one of`},
		{Configuration{URL: "https://a", Resources: []string{".apps"}}, `".apps" is not a resource`},
		{Configuration{URL: "https://a", Resources: []string{"pods/"}}, `"pods/" is not a resource`},
	} {
		if _, err := c.config.YAML(); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("YAML() = %v, want %q", err, c.want)
		}
	}
}

// The digest identifies what is recorded. It does not depend on the current certificate.
func TestDigest(t *testing.T) {
	digest := func(c Configuration) string {
		d, err := c.Digest()
		if err != nil || !strings.HasPrefix(d, "sha256:") {
			t.Fatalf("Digest() = %q, %v", d, err)
		}
		return d
	}
	first := digest(Configuration{URL: "https://a", CABundle: []byte("1")})
	if got := digest(Configuration{URL: "https://a", CABundle: []byte("2")}); got != first {
		t.Error("the digest changes with the certificate")
	}
	if got := digest(Configuration{URL: "https://a", Resources: []string{"pods"}}); got == first {
		t.Error("the digest does not change with the resources")
	}
}
