package rules

import (
	"testing"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/admsim/admsim/pkg/admission"
)

// Authors of CRDs choose the messages of rules: no message makes a server panic.
func TestPanicked(t *testing.T) {
	for _, test := range []struct {
		err  *field.Error
		want bool
	}{
		{field.InternalError(nil, admission.ErrPanicked), true},
		{field.Invalid(nil, "a", "failed rule: "+admission.ErrPanicked.Error()), false},
		{field.Invalid(nil, "a", admission.ErrPanicked.Error()), false},
	} {
		if got := Panicked(field.ErrorList{test.err}); got != test.want {
			t.Errorf("Panicked of %v is %t, want %t", test.err, got, test.want)
		}
	}
}
