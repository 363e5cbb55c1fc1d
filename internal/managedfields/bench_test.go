package managedfields

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	smdschema "sigs.k8s.io/structured-merge-diff/v6/schema"
	"sigs.k8s.io/yaml"
)

// pod returns a typical pod with the given number of containers.
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

// BenchmarkApply lets two managers apply to a pod in turn.
func BenchmarkApply(b *testing.B) {
	builtIn() // exclude the cost of reading the schema
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

// BenchmarkCustomSchema builds the schema of a definition, which is kept as long as its resources, and looks up the
// first name of a type.
func BenchmarkCustomSchema(b *testing.B) {
	var definition apiextensionsv1.CustomResourceDefinition
	if err := yaml.UnmarshalStrict([]byte(gizmoCRD), &definition); err != nil {
		b.Fatal(err)
	}
	kind := schema.GroupVersionKind{Group: "crd.example.com", Version: "v1", Kind: "Gizmo"}
	b.ReportAllocs()
	for b.Loop() {
		s, err := custom(&definition, sharedTypes(builtInTypes), false)
		if err != nil || !s.(*fieldSchema).knows(kind) {
			b.Fatal(s, err)
		}
	}
}

// BenchmarkPlan resolves the plan of a pod: the parts that the pod has, and all parts that a pod may have.
func BenchmarkPlan(b *testing.B) {
	known := resolve(pods).schema
	created := &corev1.Pod{}
	if err := json.Unmarshal(pod(1), created); err != nil {
		b.Fatal(err)
	}
	for _, parts := range []string{"needed", "all"} {
		b.Run("parts="+parts, func(b *testing.B) {
			for b.Loop() {
				to := target{pods, &fieldSchema{types: known.types, name: known.name, direct: known.direct}}
				to.track(nil, created, Writer{Manager: "a", Now: at(0)})
				if parts == "all" {
					ref := smdschema.TypeRef{NamedType: to.schema.namedType(to.Kind)}
					resolveAll(to.schema.planOf(reflect.TypeOf(created), ref), map[*plan]bool{})
				}
			}
		})
	}
}

// resolveAll resolves a plan with all its parts.
func resolveAll(p *plan, seen map[*plan]bool) {
	if p == nil || seen[p] {
		return
	}
	seen[p] = true
	p.resolved()
	for i := range p.fields {
		resolveAll(p.fields[i].plan, seen)
	}
	resolveAll(p.element, seen)
}

// BenchmarkTrack determines who owns a pod's fields when the pod is created and when another manager changes it: by
// plans, and by the library, which is used where plans do not suffice.
func BenchmarkTrack(b *testing.B) {
	target := resolve(pods)
	creator, other := Writer{Manager: "a", Now: at(0)}, Writer{Manager: "b", Now: at(1)}
	created := &corev1.Pod{}
	if err := json.Unmarshal(pod(8), created); err != nil {
		b.Fatal(err)
	}
	live := target.track(nil, created, creator).(*corev1.Pod)
	updated := live.DeepCopy()
	updated.Labels["team"], updated.Spec.Containers[3].Image = "blue", "registry.example.com/team/app:v2"
	nothing, err := target.orNew(nil)
	if err != nil {
		b.Fatal(err)
	}
	for name, track := range map[string]func(live, updated runtime.Object, w Writer) runtime.Object{"plan": target.track, "library": target.trackByLibrary} {
		b.Run("write=create/by="+name, func(b *testing.B) {
			for b.Loop() {
				if name == "library" {
					track(nothing, created, creator)
				} else {
					track(nil, created, creator)
				}
			}
		})
		b.Run("write=update/by="+name, func(b *testing.B) {
			for b.Loop() {
				track(live, updated, other)
			}
		})
	}
}
