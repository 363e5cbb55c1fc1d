package security

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	podsecurityapi "k8s.io/pod-security-admission/api"
	"sigs.k8s.io/yaml"

	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/kubeversion"
)

func TestPodSecurityConfiguration(t *testing.T) {
	const head = "apiVersion: pod-security.admission.config.k8s.io/v1\nkind: PodSecurityConfiguration\n"
	for _, c := range []struct{ reason, config, want string }{
		{"nothing", "", ""},
		{"an empty configuration", head, ""},
		{"an older version", strings.Replace(head, "/v1\n", "/v1alpha1\n", 1), ""},
		{"an invalid level", head + "defaults: {enforce: strict}", `invalid: defaults.enforce: Invalid value: "strict": must be one of privileged, baseline, restricted`},
		{"an invalid version", head + "defaults: {warn-version: '1.30'}", `invalid: defaults.warn-version: Invalid value: "1.30": must be "latest" or "v1.x"`},
		{"a user without a name", head + "exemptions: {usernames: ['']}", `invalid: exemptions.usernames[0]: Invalid value: "": username must not be empty`},
		{"a namespace twice", head + "exemptions: {namespaces: [a, a]}", `invalid: exemptions.namespaces[1]: Duplicate value: "a"`},
		{"an unknown field", head + "default: {}", `unknown field "default"`},
	} {
		var data []byte
		if c.config != "" {
			var err error
			if data, err = yaml.YAMLToJSON([]byte(c.config)); err != nil {
				t.Fatal(err)
			}
		}
		_, err := NewPodSecurity(kubeversion.Default(), data)
		got := ""
		if err != nil {
			got = err.Error()
		}
		if (c.want == "") != (got == "") || !strings.Contains(got, c.want) {
			t.Errorf("%s: NewPodSecurity = %q, want %q", c.reason, got, c.want)
		}
	}
}

// The server stops checking at some point, and checks one pod of each controller first (PS-16).
func TestPodSecurityChecksSoManyPods(t *testing.T) {
	s := cluster.New()
	for i := range mostPodsChecked + 1 {
		pod := &corev1.Pod{
			TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "Pod"},
			ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("pod-%04d", i), Namespace: "shop"},
		}
		yes := true
		pod.OwnerReferences = []metav1.OwnerReference{{Kind: "ReplicaSet", Name: "a", UID: "a", Controller: &yes}}
		if i == mostPodsChecked { // last by name, but the first of its controller
			pod.OwnerReferences[0].UID = "b"
			pod.Spec.HostPID = true
		}
		s = s.With(cluster.Object{Object: pod})
	}
	made, err := NewPodSecurity(kubeversion.Default(), nil)
	if err != nil {
		t.Fatal(err)
	}
	baseline := podsecurityapi.LevelVersion{Level: podsecurityapi.LevelBaseline, Version: podsecurityapi.LatestVersion()}
	got := made.violators(s, "shop", baseline)
	want := []string{
		"new PodSecurity enforce level only checked against the first 3000 of 3001 existing pods",
		`existing pods in namespace "shop" violate the new PodSecurity enforce level "baseline:latest"`,
		"pod-3000: host namespaces",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("violators (-want +got):\n%s", diff)
	}
}
