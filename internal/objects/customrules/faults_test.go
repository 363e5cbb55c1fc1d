package customrules_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel/model"
	celcommon "k8s.io/apiserver/pkg/cel/common"

	"github.com/admsim/admsim/internal/bug"
	"github.com/admsim/admsim/internal/endless"
	"github.com/admsim/admsim/internal/hint"
	"github.com/admsim/admsim/internal/objects/customrules"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// objectWith returns the schema of an object with rules, and with some fields, which are strings.
func objectWith(rules ...apiextensionsv1.ValidationRule) *structuralschema.Structural {
	text := structuralschema.Structural{Generic: structuralschema.Generic{Type: "string"}}
	s := &structuralschema.Structural{Generic: structuralschema.Generic{Type: "object"}, Properties: map[string]structuralschema.Structural{"kind": text, "a": text, "b": text}}
	s.XValidations = rules
	return s
}

// faults returns the texts of what a release finds wrong with an update that changes nothing.
func faults(t *testing.T, s *structuralschema.Structural, object map[string]any, release string) (texts []string) {
	t.Helper()
	r, err := kubeversion.Parse(release)
	if err != nil {
		t.Fatal(err)
	}
	var both *celcommon.CorrelatedObject
	if r.Enabled("CRDValidationRatcheting") {
		both = celcommon.NewCorrelatedObject(object, object, &model.Structural{Structural: s})
	}
	for _, fault := range customrules.New(s, "schema", true, r).Faults(t.Context(), object, object, both) {
		text := fault.Error.Error()
		if fault.Tolerated {
			text = "warning: " + text
		}
		texts = append(texts, text)
	}
	return texts
}

// Releases differ in what they say about broken rules (W-353), and which of them they tolerate.
func TestFaultsByRelease(t *testing.T) {
	changes := objectWith(
		apiextensionsv1.ValidationRule{Rule: "[quantity('1234567890123456789012')].all(q, q.add(1).compareTo(q) != 0)"},
		apiextensionsv1.ValidationRule{Rule: "[quantity('1')].all(q, q.add(1).compareTo(q) != 0)"},
	)
	paths := objectWith(
		apiextensionsv1.ValidationRule{Rule: "self.a != self.a || oldSelf.a != self.a", Message: " spaces ", FieldPath: ".a"},
		apiextensionsv1.ValidationRule{Rule: "self.b != self.b || oldSelf.b != self.b", Message: "after"},
	)
	kind := objectWith()
	word := structuralschema.Structural{Generic: structuralschema.Generic{Type: "string"}}
	word.XValidations = apiextensionsv1.ValidationRules{{Rule: "self != 'A'"}}
	kind.Properties["kind"] = word
	kind.Properties["a"] = word
	object := map[string]any{"kind": "A", "a": "A", "b": "B"}
	letters := "['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j'].all(x, "
	costly := objectWith(apiextensionsv1.ValidationRule{Rule: strings.Repeat(letters, 6) + "x == ''" + strings.Repeat(") || true", 6)})
	broken := objectWith(apiextensionsv1.ValidationRule{Rule: "self.a == 'B'"}, apiextensionsv1.ValidationRule{Rule: "[][1] == self.a"})

	for _, tt := range []struct {
		schema         *structuralschema.Structural
		release, since string // the last release that says want, and the first one that says another thing
		want, then     []string
	}{
		{changes, "1.36", "1.37", // sums of large quantities change an operand (W-348)
			[]string{`warning: <nil>: Invalid value: failed rule: [quantity('1234567890123456789012')].all(q, q.add(1).compareTo(q) != 0)`}, nil},
		{kind, "1.34", "1.35", // errors show types
			[]string{`warning: a: Invalid value: "string": failed rule: self != 'A'`, `kind: Invalid value: "string": failed rule: self != 'A'`},
			[]string{`warning: a: Invalid value: "A": failed rule: self != 'A'`, `kind: Invalid value: "A": failed rule: self != 'A'`}},
		{paths, "1.29", "1.30", // the path of one error is in the next one
			[]string{`a: Invalid value: "object": spaces`, `a: Invalid value: "object": after`},
			[]string{`a: Invalid value: "object": spaces`, `<nil>: Invalid value: "object": after`}},
		{paths, "1.26", "1.27",
			[]string{`a: Invalid value: "object":  spaces `, `a: Invalid value: "object": after`},
			[]string{`a: Invalid value: "object": spaces`, `a: Invalid value: "object": after`}},
		{broken, "1.23", "1.24",
			[]string{`<nil>: Invalid value: {"a":"A","b":"B","kind":"A"}: failed rule: self.a == 'B'`, `<nil>: Invalid value: {"a":"A","b":"B","kind":"A"}: index out of bounds: 1 evaluating rule: [][1] == self.a`},
			[]string{`<nil>: Invalid value: "object": failed rule: self.a == 'B'`, `<nil>: Invalid value: "object": index out of bounds: 1 evaluating rule: [][1] == self.a`}},
		{costly, "1.23", "1.24", nil,
			[]string{`<nil>: Invalid value: "object": 'operation cancelled: actual cost limit exceeded': no further validation rules will be run due to call cost exceeds limit for rule: ` + costly.XValidations[0].Rule}},
	} {
		if diff := cmp.Diff(tt.want, faults(t, tt.schema, object, tt.release)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.release, diff)
		}
		if diff := cmp.Diff(tt.then, faults(t, tt.schema, object, tt.since)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.since, diff)
		}
	}
}

// stopped returns why the server's answer cannot be known, or nil if it can.
func stopped(ctx context.Context, s *structuralschema.Structural, object map[string]any) (err error) {
	defer bug.CatchStop(&err)
	customrules.New(s, "schema", true, kubeversion.Default()).Faults(ctx, object, nil, nil)
	return nil
}

// No quantity that takes forever is read, wherever it comes from.
func TestEndlessQuantities(t *testing.T) {
	for _, tt := range []struct {
		rule    apiextensionsv1.ValidationRule
		a       string
		endless bool
	}{
		{apiextensionsv1.ValidationRule{Rule: "quantity(self.a).isLessThan(quantity('1Gi'))"}, "1e3", false},
		{apiextensionsv1.ValidationRule{Rule: "quantity(self.a).isLessThan(quantity('1Gi'))"}, "1e999999999", true},
		{apiextensionsv1.ValidationRule{Rule: "quantity(self.a).isLessThan(quantity('1Gi'))"}, strings.Repeat("9", 2000), true},
		{apiextensionsv1.ValidationRule{Rule: "isQuantity(self.a + 'e999999999')"}, "1", true},
		{apiextensionsv1.ValidationRule{Rule: "self.a != ''"}, "1e999999999", false},
		{apiextensionsv1.ValidationRule{Rule: "false", MessageExpression: "isQuantity('-1e-999999999') ? 'one' : 'other'"}, "1", true},
	} {
		err := stopped(t.Context(), objectWith(tt.rule), map[string]any{"a": tt.a})
		if errors.Is(err, endless.ErrInExpression) != tt.endless {
			t.Errorf("%v about %.40q: got %v, want an error: %t", tt.rule, tt.a, err, tt.endless)
		}
		if with := (*hint.Error)(nil); err != nil && !errors.As(err, &with) {
			t.Errorf("%v has no hint", err)
		}
	}
}

// Loops end with the context.
func TestLoopsEnd(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	const digits = "[0, 1, 2, 3, 4, 5, 6, 7, 8, 9]"
	loop := "true"
	for _, name := range []string{"a", "b", "c", "d", "e", "f", "g", "h"} {
		loop = digits + ".all(" + name + ", " + loop + ")"
	}
	<-ctx.Done()
	s := objectWith(apiextensionsv1.ValidationRule{Rule: loop})
	got := customrules.New(s, "schema", true, kubeversion.Default()).Faults(ctx, map[string]any{}, nil, nil)
	if len(got) != 1 || !strings.Contains(got[0].Cause, "operation interrupted") {
		t.Errorf("got %v, want an interrupted rule", got)
	}
}
