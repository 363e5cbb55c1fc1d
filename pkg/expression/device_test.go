package expression_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/admsim/admsim/pkg/expression"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// The texts are those of a 1.36 server.
func TestCheckDeviceExpression(t *testing.T) {
	const nested = `device.attributes["a"].all(x, device.attributes["b"].all(y, device.attributes["c"].all(z, x != y && y != z && x.matches(z))))`
	compiler := expression.New(kubeversion.Default())
	for _, tt := range []struct {
		reason, text string
		want         []string
	}{
		{"a driver", `device.driver == "d.example"`, nil},
		{"an attribute may be a bool", `device.attributes["d.example"].healthy`, nil},
		{"bindings, versions and quantities", `cel.bind(a, device.attributes["d.example"], a.version.isGreaterThan(semver("1.0.0"))) && device.capacity["d.example"].memory.compareTo(quantity("1Gi")) > 0`, nil},
		{"shared devices", "device.allowMultipleAllocations", nil},
		{"no bool", "1", []string{`s: Invalid value: "1": must evaluate to bool or the unknown type, not int`}},
		{"another variable", "object.x", []string{`s: Invalid value: "object.x": compilation failed: ERROR: <input>:1:1: undeclared reference to 'object' (in container '')` + "\n | object.x\n | ^"}},
		{"an unknown field", "device.colour == 1", []string{`s: Invalid value: "device.colour == 1": compilation failed: ERROR: <input>:1:7: undefined field 'colour'` + "\n | device.colour == 1\n | ......^"}},
		{"too much work", nested, []string{"s: Forbidden: too complex, exceeds cost limit"}},
	} {
		for _, stored := range []bool{false, true} {
			_, errs := compiler.CheckDeviceExpression(tt.text, false, stored, field.NewPath("s"))
			if diff := cmp.Diff(tt.want, errorTexts(errs)); diff != "" {
				t.Errorf("%s, stored %v (-want +got):\n%s", tt.reason, stored, diff)
			}
		}
	}

	older, err := kubeversion.Parse("1.34")
	if err != nil {
		t.Fatal(err)
	}
	if _, errs := expression.New(older).CheckDeviceExpression("device.allowMultipleAllocations", false, false, field.NewPath("s")); len(errs) != 1 {
		t.Errorf("devices are not shared in 1.34: %v", errs)
	}
}

// A server of 1.31 does not limit the cost of an expression, and has another place for an error in an empty one (VA-29).
// Versions are part of the language of devices before they are part of that of all expressions.
func TestCheckOldDeviceExpression(t *testing.T) {
	const (
		nested = `device.attributes["a"].all(x, device.attributes["b"].all(y, device.attributes["c"].all(z, x != y && y != z && x.matches(z))))`
		syntax = `Syntax error: mismatched input '<EOF>' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}`
	)
	for _, tt := range []struct {
		release, text string
		want          []string
	}{
		{"1.31", nested, nil},
		{"1.32", nested, []string{"s: Forbidden: too complex, exceeds cost limit"}},
		{"1.31", "", []string{`s: Invalid value: "": compilation failed: ERROR: <input>:1:1: ` + syntax}},
		{"1.32", "", []string{`s: Invalid value: "": compilation failed: ERROR: <input>:1:0: ` + syntax}},
		{"1.31", `device.attributes["d.example"].version.isGreaterThan(semver("1.0.0"))`, nil},
	} {
		release, err := kubeversion.Parse(tt.release)
		if err != nil {
			t.Fatal(err)
		}
		_, errs := expression.New(release).CheckDeviceExpression(tt.text, false, false, field.NewPath("s"))
		if diff := cmp.Diff(tt.want, errorTexts(errs)); diff != "" {
			t.Errorf("%s: %q (-want +got):\n%s", tt.release, tt.text, diff)
		}
	}
}

// The texts are those of a 1.37 server, found in its own unit tests.
func TestCheckDerivedAttribute(t *testing.T) {
	const scalar = "must evaluate to a primitive scalar (string, integer, boolean, semver)"
	one := kubeversion.Default()
	lists, err := one.With(kubeversion.Flags{FeatureGates: map[string]bool{"DRAListTypeAttributes": true}})
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		reason, text string
		release      *kubeversion.Release
		want         []string
	}{
		{"an attribute", `device.attributes["d.example"].numa`, one, nil},
		{"a number", `1`, one, nil},
		{"a map", `device.attributes`, one, []string{"s: Invalid value: \"device.attributes\": " + scalar + ", not map(string, map(string, google.protobuf.Any))"}},
		{"a list", `["a"]`, one, []string{"s: Invalid value: \"[\\\"a\\\"]\": " + scalar + ", not list(string)"}},
		{"a list where attributes may be lists", `["a"]`, lists, nil},
		{"items of a list", `device.attributes["d.example"].numas.includes(1)`, lists, nil},
		{"a list of lists", `[["a"]]`, lists, []string{"s: Invalid value: \"[[\\\"a\\\"]]\": " + scalar + " or a list of these scalars, not list(list(string))"}},
	} {
		cost, errs := expression.New(tt.release).CheckDeviceExpression(tt.text, true, false, field.NewPath("s"))
		if diff := cmp.Diff(tt.want, errorTexts(errs)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.reason, diff)
		}
		if tt.text != "1" && len(errs) == 0 && cost == 0 {
			t.Errorf("%s costs nothing", tt.reason)
		}
	}
}
