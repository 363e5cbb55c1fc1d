package managedfields

import (
	"fmt"
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	smdschema "sigs.k8s.io/structured-merge-diff/v6/schema"
)

// The creator's fields are written as the set of the same fields would be, including names that have to be quoted or
// that validation would refuse later.
func TestCreatorFieldsMatchSet(t *testing.T) {
	var odd []string
	for c := range rune(0x100) {
		odd = append(odd, fmt.Sprintf("a%cb", c))
	}
	odd = append(odd, "", "\u2028", "\ufffd", "\xff", "ü", "日本", `\"`, "<a href='&'>")
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "web", Labels: map[string]string{}}}
	for i, name := range odd {
		pod.Labels[name] = name
		pod.Finalizers = append(pod.Finalizers, name) // a set
		pod.Spec.Containers = append(pod.Spec.Containers, corev1.Container{
			Name: name, Ports: []corev1.ContainerPort{{ContainerPort: int32(i), Protocol: corev1.Protocol(name)}},
		})
	}
	pod.Status.Phase = corev1.PodRunning
	kind := schema.GroupVersionKind{Version: "v1", Kind: "Pod"}
	s := builtIn()
	p := s.planOf(reflect.TypeOf(pod), smdschema.TypeRef{NamedType: s.namedType(kind)})
	for _, target := range []Target{{Kind: kind, Schema: s}, {Kind: kind, Schema: s, Reset: [][]string{{"status"}, {"metadata", "labels"}}}} {
		target := resolve(target)
		empty, all := reflect.ValueOf(&corev1.Pod{}), reflect.ValueOf(pod)
		changed, ok := p.compare(empty, all)
		if !ok {
			t.Fatal("the plan does not know how to compare pods")
		}
		owners, _ := target.assign(nil, changed.sets(), Writer{})
		want, err := owners[0].set.ToJSON()
		if err != nil {
			t.Fatal(err)
		}
		got, ok, err := s.createdFields(p, all, target.resetFields())
		if !ok || err != nil {
			t.Fatal(ok, err)
		}
		if diff := cmp.Diff(string(want), string(got)); diff != "" {
			t.Errorf("reset %v (-set, +creator):\n%s", target.Reset, diff)
		}
	}
}
