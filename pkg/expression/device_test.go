package expression_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/admsim/admsim/pkg/expression"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// The texts are those of a server of 1.36.
func TestCheckDeviceSelector(t *testing.T) {
	const nested = `device.attributes["a"].all(x, device.attributes["b"].all(y, device.attributes["c"].all(z, x != y && y != z && x.matches(z))))`
	compiler := expression.New(kubeversion.Default())
	for _, tt := range []struct {
		reason, text string
		want         []string
	}{
		{"a driver", `device.driver == "d.example"`, nil},
		{"an attribute may be a bool", `device.attributes["d.example"].healthy`, nil},
		{"bindings, versions and quantities", `cel.bind(a, device.attributes["d.example"], a.version.isGreaterThan(semver("1.0.0"))) && device.capacity["d.example"].memory.compareTo(quantity("1Gi")) > 0`, nil},
		{"devices that are shared", "device.allowMultipleAllocations", nil},
		{"no bool", "1", []string{`s: Invalid value: "1": must evaluate to bool or the unknown type, not int`}},
		{"another variable", "object.x", []string{`s: Invalid value: "object.x": compilation failed: ERROR: <input>:1:1: undeclared reference to 'object' (in container '')` + "\n | object.x\n | ^"}},
		{"an unknown field", "device.colour == 1", []string{`s: Invalid value: "device.colour == 1": compilation failed: ERROR: <input>:1:7: undefined field 'colour'` + "\n | device.colour == 1\n | ......^"}},
		{"too much work", nested, []string{"s: Forbidden: too complex, exceeds cost limit"}},
	} {
		for _, stored := range []bool{false, true} {
			if diff := cmp.Diff(tt.want, errorTexts(compiler.CheckDeviceSelector(tt.text, stored, field.NewPath("s")))); diff != "" {
				t.Errorf("%s, stored %v (-want +got):\n%s", tt.reason, stored, diff)
			}
		}
	}

	older, err := kubeversion.Parse("1.34")
	if err != nil {
		t.Fatal(err)
	}
	if errs := expression.New(older).CheckDeviceSelector("device.allowMultipleAllocations", false, field.NewPath("s")); len(errs) != 1 {
		t.Errorf("devices are not shared in 1.34: %v", errs)
	}
}
