package managedfields_test

import (
	"strings"
	"testing"

	"github.com/admsim/admsim/internal/managedfields"
)

func TestManagerOf(t *testing.T) {
	for _, tt := range []struct{ agent, want string }{
		{"kubectl/v1.37.2 (linux/amd64) kubernetes/abc", "kubectl"},
		{"manager", "manager"},
		{"", ""},
		{"a\tb/1", "ab"},
		{strings.Repeat("é", 100), strings.Repeat("é", 64)},
	} {
		if got := managedfields.ManagerOf(tt.agent); got != tt.want {
			t.Errorf("ManagerOf(%q) = %q, want %q", tt.agent, got, tt.want)
		}
	}
}
