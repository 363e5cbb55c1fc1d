package scenario

import (
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	validation "k8s.io/apimachinery/pkg/util/validation/field"
)

func TestWithoutObject(t *testing.T) {
	at := validation.NewPath("spec")
	for _, tt := range []struct {
		value any
		want  string
	}{
		{resource.MustParse("1Gi"), `spec: Invalid value: "1Gi": wrong`},
		{intstr.FromInt32(80), `spec: Invalid value: 80: wrong`},
		{metav1.NewTime(time.Unix(0, 0).UTC()), `spec: Invalid value: "1970-01-01T00:00:00Z": wrong`},
		{"{}", `spec: Invalid value: "{}": wrong`},
		{metav1.GroupKind{Kind: "Pod"}, `spec: Invalid value: wrong`},
		{map[string]any{"a": 1}, `spec: Invalid value: wrong`},
	} {
		if got := withoutObject(validation.Invalid(at, tt.value, "wrong")); got != tt.want {
			t.Errorf("%T: %s, want %s", tt.value, got, tt.want)
		}
	}
}
