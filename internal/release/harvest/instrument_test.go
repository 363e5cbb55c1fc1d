package harvest

import (
	"strings"
	"testing"
)

// Functions that validate whole objects are instrumented, others are not, and no line moves.
func TestInstrument(t *testing.T) {
	const file = `package pod // the strategy

import "context"

func (podStatusStrategy) ValidateUpdate(ctx context.Context, obj, old runtime.Object) field.ErrorList {
	return nil
}

func ValidatePod(pod *core.Pod, fldPath *field.Path, opts Options) field.ErrorList { return nil }

func (*strategy) PrepareForCreate(_ context.Context, _ runtime.Object) {}

func ValidateName(name string) {}

func Copy(pod *core.Pod) {}
`
	changed, functions, err := instrument("pkg/registry/core/pod", []byte(file))
	if err != nil {
		t.Fatal(err)
	}
	if functions != 3 {
		t.Errorf("%d functions are instrumented, want 3", functions)
	}
	before, after := strings.Split(file, "\n"), strings.Split(string(changed), "\n")
	if len(before) != len(after) {
		t.Fatalf("the file has %d lines, want %d:\n%s", len(after), len(before), changed)
	}
	want := map[int]string{
		0: `package pod; import admsimcalls "admsim.example/harvest/calls" // the strategy`,
		4: before[4] + ` admsimcalls.Given("pkg/registry/core/pod:podStatusStrategy.ValidateUpdate", "ctx,obj,old", ctx, obj, old);`,
		8: strings.Replace(before[8], "{", `{ admsimcalls.Given("pkg/registry/core/pod:ValidatePod", "pod,fldPath", pod, fldPath);`, 1),
	}
	want[10] = `func (*strategy) PrepareForCreate(admsim0 context.Context, admsim1 runtime.Object) {` +
		` admsimcalls.Given("pkg/registry/core/pod:strategy.PrepareForCreate", "admsim0,admsim1", admsim0, admsim1);}`
	for i := range before {
		if expected, ok := want[i]; !ok && after[i] != before[i] || ok && after[i] != expected {
			t.Errorf("line %d is\n%s", i+1, after[i])
		}
	}
}

// Functions about custom resources are listed by name, and take values without a type.
func TestInstrumentSchemas(t *testing.T) {
	const file = `package cel

func (s *Validator) Validate(fldPath *field.Path, _ *schema.Structural, obj, oldObj interface{}, costBudget int64) {}

func (s *Validator) validate(obj interface{}) {}
`
	changed, functions, err := instrument("pkg/apiserver/schema/cel", []byte(file))
	if err != nil {
		t.Fatal(err)
	}
	const want = `{ admsimcalls.OfSchema("pkg/apiserver/schema/cel:Validator.Validate", "fldPath,admsim1,obj,oldObj", fldPath, admsim1, obj, oldObj);}`
	if functions != 1 || !strings.Contains(string(changed), want) {
		t.Errorf("%d functions are instrumented, want 1:\n%s", functions, changed)
	}
}

// A check of Pod Security gets the two parts of a pod.
func TestInstrumentChecks(t *testing.T) {
	const file = `package policy

func hostPorts_1_0(podMetadata *metav1.ObjectMeta, podSpec *corev1.PodSpec) CheckResult {}

func relaxes(podSpec *corev1.PodSpec) bool { return false }
`
	changed, functions, err := instrument("policy", []byte(file))
	if err != nil {
		t.Fatal(err)
	}
	const want = `{ admsimcalls.OfPod("policy:hostPorts_1_0", "podMetadata,podSpec", podMetadata, podSpec);}`
	if functions != 1 || !strings.Contains(string(changed), want) {
		t.Errorf("%d functions are instrumented, want 1:\n%s", functions, changed)
	}
}
