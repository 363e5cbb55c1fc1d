package security

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/pod-security-admission/admission/api/load"
)

// A configuration is read as the module reads it. Error messages may differ in the name of a type, which is not
// exported here.
func TestReadPodSecurityAsServer(t *testing.T) {
	head := func(version string) string {
		return `"apiVersion":"pod-security.admission.config.k8s.io/` + version + `","kind":"PodSecurityConfiguration"`
	}
	for _, text := range []string{
		``, `{` + head("v1") + `}`, `{` + head("v1beta1") + `}`, `{` + head("v1alpha1") + `}`, `{` + head("v2") + `}`,
		`{` + head("v1") + `,"defaults":{"enforce":"baseline","enforce-version":"v1.30","audit":"restricted","warn-version":"v1.20"}}`,
		`{` + head("v1") + `,"defaults":{"audit-version":"v1.1","warn":"x"},"exemptions":{"usernames":["a"],"namespaces":["b","c"],"runtimeClasses":["d"]}}`,
		`{` + head("v1") + `,"exemptions":null,"defaults":null}`,
		`{` + head("v1") + `,"exemption":{}}`, `{` + head("v1") + `,"defaults":{"Enforce":"baseline"}}`, `{` + head("v1beta1") + `,"defaults":{"enforce":1}}`,
		`{` + head("v1") + `,"kind":"PodSecurityConfiguration"}`, `{` + head("v1") + `,"metadata":{"name":"a"}}`,
		`{}`, `[]`, `x`, `{"kind":"PodSecurityConfiguration"}`, `{"apiVersion":"v1","kind":"Pod"}`,
	} {
		want, wantErr := load.LoadFromData([]byte(text))
		got, gotErr := readPodSecurity([]byte(text))
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-module +admsim):\n%s", text, diff)
		}
		if (wantErr == nil) != (gotErr == nil) || wantErr != nil && !strings.EqualFold(wantErr.Error(), gotErr.Error()) {
			t.Errorf("%s: %v, want %v", text, gotErr, wantErr)
		}
	}
}
