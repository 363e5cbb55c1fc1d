package objects_test

import (
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/admsim/admsim/internal/objects"
)

// The answer is that of the server's own function, and 100,000 errors do not take forever.
func TestNewInvalid(t *testing.T) {
	path := field.NewPath("spec")
	one, other := field.Required(path.Child("a"), "say it"), field.Invalid(path.Child("b"), 7, "too many")
	for _, errs := range []field.ErrorList{nil, {one}, {one, one}, {one, other}, {other, one, other}} {
		kind := schema.GroupKind{Group: "apps", Kind: "Deployment"}
		if diff := cmp.Diff(apierrors.NewInvalid(kind, "web", errs).ErrStatus.Message, objects.NewInvalid(kind, "web", errs).ErrStatus.Message); diff != "" {
			t.Errorf("message for %d errors: -server +admsim\n%s", len(errs), diff)
		}
		if diff := cmp.Diff(apierrors.NewInvalid(kind, "web", errs).ErrStatus, objects.NewInvalid(kind, "web", errs).ErrStatus); diff != "" {
			t.Errorf("status for %d errors: -server +admsim\n%s", len(errs), diff)
		}
	}
	bytes := func(n int) int64 {
		many := make(field.ErrorList, n)
		for i := range many {
			many[i] = field.Invalid(path.Key(strconv.Itoa(i)), strings.Repeat("x", 50), "no label")
		}
		return testing.Benchmark(func(b *testing.B) {
			for b.Loop() {
				objects.Joined(many)
			}
		}).AllocedBytesPerOp()
	}
	if few, many := bytes(1_000), bytes(8_000); many > 16*few {
		t.Errorf("the text of 1,000 errors takes %d bytes of memory, that of 8,000 takes %d", few, many)
	}
}
