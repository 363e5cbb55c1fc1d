package changes

import (
	"context"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/admsim/admsim/internal/release/upstream"
)

// Columns are those that a release registers for a kind whose storage uses the printers.
func TestColumns(t *testing.T) {
	folder := t.TempDir()
	for name, text := range map[string]string{
		"pkg/printers/internalversion/printers.go": `package internalversion

import (
	extensionsv1beta1 "k8s.io/api/extensions/v1beta1"
	"k8s.io/kubernetes/pkg/apis/extensions"
	api "k8s.io/kubernetes/pkg/apis/core"
)

func AddHandlers(h printers.PrintHandler) {
	deploymentColumns := []metav1.TableColumnDefinition{
		{Name: "Name", Type: "string", Format: "name", Description: extensionsv1beta1.DeploymentSpec{}.SwaggerDoc()["name"]},
	}
	if utilfeature.DefaultFeatureGate.Enabled(features.Gate) {
		deploymentColumns = append(deploymentColumns, metav1.TableColumnDefinition{Name: "Age", Type: "date", Priority: 1, Description: "How " + "old."})
	}
	h.TableHandler(deploymentColumns, printDeployment)
	_ = h.TableHandler(deploymentColumns, printDeploymentList)
	h.TableHandler(deploymentColumns, printLimitRange)
	AddDefaultHandlers(h)
}

func printDeployment(obj *extensions.Deployment, options printers.PrintOptions) {}
func printDeploymentList(obj *extensions.DeploymentList, options printers.PrintOptions) {}
func printLimitRange(obj *api.LimitRange, options printers.PrintOptions) {}
`,
		"pkg/registry/core/limitrange/storage.go": `package storage

import api "k8s.io/kubernetes/pkg/apis/core"

var store = genericregistry.Store{NewFunc: func() runtime.Object { return &api.LimitRange{} }}
`,
		"staging/src/k8s.io/api/extensions/v1beta1/types_swagger_doc_generated.go": `package v1beta1

var map_DeploymentSpec = map[string]string{"": "A spec.", "name": "A name."}
`,
	} {
		at := filepath.Join(folder, name)
		if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(at, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, descriptions, err := Columns(context.Background(), &upstream.Release{Version: "1.10.0", Dir: folder})
	if err != nil {
		t.Fatal(err)
	}
	want := map[string][]Column{"Deployment.apps": {
		{Name: "Name", Type: "string", Format: "name", Description: "$DeploymentSpec.name"},
		{Name: "Age", Type: "date", Wide: true, Gate: "Gate", Description: "How old."},
	}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if want := map[string]string{"DeploymentSpec.name": "A name."}; !reflect.DeepEqual(descriptions, want) {
		t.Errorf("got %q, want %q", descriptions, want)
	}
}
