package world

import (
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/admsim/admsim/internal/golden"
	"github.com/admsim/admsim/internal/scenario"
	"github.com/admsim/admsim/pkg/kubeversion"
	"github.com/admsim/admsim/pkg/simulator"
)

// TestStaticManifests configures two plugins with folders of manifests, webhooks and policies. The golden text shows
// what is loaded in order, or why a server does not start with it (W-048): a real kube-apiserver 1.37.2 ended with
// these errors.
func TestStaticManifests(t *testing.T) {
	golden.Folders(t, "testdata/static/*.txtar", func(t *testing.T, files fstest.MapFS) string {
		files["admission.yaml"] = &fstest.MapFile{Data: []byte(folders)}
		for _, needed := range []string{"webhooks/.keep", "policies/.keep"} {
			files[needed] = &fstest.MapFile{}
		}
		release := kubeversion.Default()
		read, err := scenario.LoadAdmissionConfiguration("admission.yaml", []string{"ValidatingAdmissionWebhook", "ValidatingAdmissionPolicy"}, release, scenario.Options{FS: files})
		if err != nil {
			return err.Error() + "\n"
		}
		var p simulator.Plugins
		Configure(&p, read)
		w, _, err := New(nil, Options{Release: release, Plugins: p})
		if err != nil {
			return err.Error() + "\n"
		}
		var b strings.Builder
		for _, o := range w.Simulator().Static() {
			fmt.Fprintln(&b, o.PlaceOf("metadata.name"), o.GetObjectKind().GroupVersionKind().Kind)
		}
		return b.String()
	})
}

const folders = `
apiVersion: apiserver.config.k8s.io/v1
kind: AdmissionConfiguration
plugins:
- name: ValidatingAdmissionWebhook
  configuration:
    apiVersion: apiserver.config.k8s.io/v1
    kind: WebhookAdmissionConfiguration
    staticManifestsDir: /etc/kubernetes/admission/webhooks
- name: ValidatingAdmissionPolicy
  configuration:
    apiVersion: apiserver.config.k8s.io/v1
    kind: ValidatingAdmissionPolicyConfiguration
    staticManifestsDir: /etc/kubernetes/policies
`
