package expression

import (
	"math/rand"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	admissionv1 "k8s.io/api/admission/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/apitesting/fuzzer"
	metafuzzer "k8s.io/apimachinery/pkg/apis/meta/fuzzer"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"

	"github.com/admsim/admsim/internal/builtin"
)

// Expressions see every object as in the server.
func TestFieldsAsServer(t *testing.T) {
	if testing.Short() {
		t.Skip("one goroutine does everything")
	}
	kinds := builtin.Kinds()
	slices.SortFunc(kinds, func(a, b schema.GroupVersionKind) int { return strings.Compare(a.String(), b.String()) })
	for i, kind := range kinds {
		if kind.Kind == "CustomResourceDefinition" || kind.Kind == "CustomResourceDefinitionList" { // a random schema never ends
			continue
		}
		for seed := range int64(3) {
			object, _ := builtin.New(kind)
			fuzzer.FuzzerFor(metafuzzer.Funcs, rand.NewSource(int64(i)*10+seed), clientgoscheme.Codecs).Fill(object)
			sameFields(t, object)
		}
		empty, _ := builtin.New(kind)
		sameFields(t, empty)
	}
	yes := true
	sameFields(t, &admissionv1.AdmissionRequest{DryRun: &yes, Options: runtime.RawExtension{Object: &metav1.CreateOptions{FieldManager: "x"}}, OldObject: runtime.RawExtension{Raw: []byte(`{"a":1,"b":1.5,"c":null}`)}})
}

func sameFields(t *testing.T, of any) {
	t.Helper()
	want, wrong := runtime.DefaultUnstructuredConverter.ToUnstructured(of)
	got, err := new(converters).fields(of)
	if (err != nil) != (wrong != nil) {
		t.Fatalf("a %T: %v, want %v", of, err, wrong)
	}
	if !reflect.DeepEqual(want, got) {
		t.Errorf("a %T (-server +got):\n%s", of, cmp.Diff(want, got))
	}
}

func BenchmarkFields(b *testing.B) {
	pod := &corev1.Pod{}
	fuzzer.FuzzerFor(metafuzzer.Funcs, rand.NewSource(1), clientgoscheme.Codecs).Fill(pod)
	for name, fields := range map[string]func(any) (map[string]any, error){
		"by=apimachinery": runtime.DefaultUnstructuredConverter.ToUnstructured, "by=admsim": new(converters).fields,
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := fields(pod); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
