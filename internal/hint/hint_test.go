package hint_test

import (
	"errors"
	"fmt"
	"io/fs"
	"testing"

	"github.com/admsim/admsim/internal/hint"
)

// A hint does not change the text or the identity of an error, and the reader finds the outermost hint.
func TestAdd(t *testing.T) {
	inner := fmt.Errorf("reading a.yaml: %w", fs.ErrNotExist)
	for _, tt := range []struct {
		name string
		err  error
		hint string
	}{
		{"one", hint.Add(inner, "name a file"), "name a file"},
		{"two", hint.Add(hint.Add(inner, "name a file"), "or a folder"), "or a folder"},
		{"inside of another error", fmt.Errorf("%w", hint.Add(inner, "name a file")), "name a file"},
	} {
		if got := tt.err.Error(); got != inner.Error() {
			t.Errorf("%s: the text is %q, want %q", tt.name, got, inner)
		}
		if !errors.Is(tt.err, fs.ErrNotExist) {
			t.Errorf("%s: it is no longer %v", tt.name, fs.ErrNotExist)
		}
		var with *hint.Error
		if !errors.As(tt.err, &with) || with.Hint != tt.hint {
			t.Errorf("%s: the hint is %v, want %q", tt.name, with, tt.hint)
		}
	}
}
