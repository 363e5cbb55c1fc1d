package bug

import (
	"errors"
	"slices"
	"strings"
	"testing"
)

func TestCatch(t *testing.T) {
	handle := func(one func()) (err error) {
		defer Catch(&err)
		one()
		return nil
	}
	if err := handle(func() {}); err != nil {
		t.Errorf("without a panic the error is %v", err)
	}
	var nothing *strings.Builder
	err := handle(func() { nothing.Grow(1) })
	caught := (*Error)(nil)
	if !errors.As(err, &caught) || !strings.Contains(caught.Value, "nil pointer") {
		t.Errorf("the error is %v, want a bug about a nil pointer", err)
	}
	if err := handle(func() { panic(strings.Repeat("é", 10_000)) }); len(err.Error()) > 1000 {
		t.Errorf("the error has %d bytes", len(err.Error()))
	}
}

func TestStackIsShort(t *testing.T) {
	var down func(n int)
	down = func(n int) {
		if n == 0 {
			panic("deep")
		}
		down(n - 1)
	}
	var err error
	func() {
		defer Catch(&err)
		down(1000)
	}()
	caught := err.(*Error)
	if len(caught.Stack) > mostPlaces {
		t.Errorf("the stack has %d places, want at most %d", len(caught.Stack), mostPlaces)
	}
	if slices.ContainsFunc(caught.Stack, func(p string) bool { return strings.HasPrefix(p, "/") }) {
		t.Errorf("the stack %v names files of the machine", caught.Stack)
	}
}

func TestPackageOf(t *testing.T) {
	for function, want := range map[string]string{
		"pkg/report.(*Result).hint": "pkg/report",
		"internal/replay.run.func1": "internal/replay",
		"cmd/admsim.main":           "cmd/admsim",
	} {
		if got := packageOf(function); got != want {
			t.Errorf("packageOf(%q) = %q, want %q", function, got, want)
		}
	}
}
