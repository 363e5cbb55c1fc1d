package managedfields

import (
	"fmt"
	"strings"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/yaml"
)

// pod is a pod of the usual shape, with so many containers.
func pod(containers int) []byte {
	var list []string
	for i := range containers {
		list = append(list, fmt.Sprintf(`{"name":"c%d","image":"registry.example.com/team/app-%d:v1.2.3","args":["--verbose","--listen=:80%02d"],`+
			`"env":[{"name":"A","value":"1"},{"name":"B","value":"2"}],"ports":[{"containerPort":80%02d,"protocol":"TCP"}],`+
			`"resources":{"limits":{"cpu":"500m","memory":"128Mi"},"requests":{"cpu":"250m","memory":"64Mi"}},`+
			`"terminationMessagePath":"/dev/termination-log","terminationMessagePolicy":"File","imagePullPolicy":"IfNotPresent"}`, i, i, i, i))
	}
	return []byte(`{"kind":"Pod","apiVersion":"v1","metadata":{"name":"p","namespace":"shop","labels":{"app":"p"},"creationTimestamp":null},` +
		`"spec":{"containers":[` + strings.Join(list, ",") + `],"restartPolicy":"Always","terminationGracePeriodSeconds":30,"dnsPolicy":"ClusterFirst"},"status":{}}`)
}

// BenchmarkApply has two managers apply to a pod in turn.
func BenchmarkApply(b *testing.B) {
	builtIn() // what it takes to read the schema is paid once
	config := append([]byte(nil), pod(8)...)
	var live runtime.Object
	for b.Loop() {
		for _, manager := range []string{"a", "b"} {
			next, err := pods.Apply(live, config, Writer{Manager: manager})
			if err != nil {
				b.Fatal(err)
			}
			live = next
		}
	}
}

// The schema of a definition is kept as long as its resources, and asked for the first name of a type.
func BenchmarkCustomSchema(b *testing.B) {
	var definition apiextensionsv1.CustomResourceDefinition
	if err := yaml.UnmarshalStrict([]byte(gizmoCRD), &definition); err != nil {
		b.Fatal(err)
	}
	kind := schema.GroupVersionKind{Group: "crd.example.com", Version: "v1", Kind: "Gizmo"}
	b.ReportAllocs()
	for b.Loop() {
		s, err := custom(&definition)
		if err != nil || !s.knows(kind) {
			b.Fatal(s, err)
		}
	}
}
