package linter_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/admsim/admsim/internal/linter"
	"github.com/admsim/admsim/internal/scenario"
	"github.com/admsim/admsim/internal/world"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// BenchmarkRun lints a configuration whose webhooks have so many match conditions each.
func BenchmarkRun(b *testing.B) {
	for _, webhooks := range []int{20, 200} {
		for _, conditions := range []int{0, 1, 4} {
			b.Run(fmt.Sprintf("webhooks=%d/conditions=%d", webhooks, conditions), func(b *testing.B) {
				in := inputOf(b, configuration(webhooks, conditions))
				b.ReportAllocs()
				for b.Loop() {
					if _, err := linter.Run(b.Context(), in); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

func inputOf(b *testing.B, manifest string) linter.Input {
	o := scenario.Options{FS: fstest.MapFS{"world.yaml": {Data: []byte(manifest)}}}
	found, err := scenario.Load([]string{"world.yaml"}, o)
	if err != nil {
		b.Fatal(err)
	}
	bag, err := scenario.Sort(found, o)
	if err != nil {
		b.Fatal(err)
	}
	w, _, err := world.New(bag.Objects, world.Options{Release: kubeversion.Default(), Controllers: true})
	if err != nil {
		b.Fatal(err)
	}
	return linter.Input{Manifests: bag.Objects, World: w, Release: kubeversion.Default(), Now: now}
}

func configuration(webhooks, conditions int) string {
	var s strings.Builder
	s.WriteString("apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingWebhookConfiguration\nmetadata: {name: many}\nwebhooks:\n")
	for i := range webhooks {
		fmt.Fprintf(&s, `- name: w%d.shop.example
  clientConfig: {url: "https://hooks.example/%[1]d"}
  rules: [{operations: [CREATE, UPDATE], apiGroups: [apps], apiVersions: [v1], resources: [deployments, statefulsets]}]
  namespaceSelector: {matchLabels: {team: team-%[1]d}}
  failurePolicy: Ignore
  sideEffects: None
  timeoutSeconds: 5
  admissionReviewVersions: [v1]
  matchConditions:
`, i)
		for n := range conditions {
			fmt.Fprintf(&s, "  - {name: c%d, expression: \"object.metadata.name != 'shop-%d-%d' && !('system:nodes' in request.userInfo.groups)\"}\n", n, i, n)
		}
	}
	return s.String()
}
