package roles

import (
	"strings"
	"testing"
)

func TestVersions(t *testing.T) {
	table := Head([]string{"1.9.1", "1.37.2"}) + "ClusterRole admin\n"
	for _, tt := range []struct{ add, want string }{
		{"", "1.9.1 1.37.2"},
		{"1.38.0", "1.9.1 1.37.2 1.38.0"},
		{"1.37.5", "1.9.1 1.37.5"},
		{"1.10.0", "1.9.1 1.10.0 1.37.2"},
	} {
		got, err := Versions(table, tt.add)
		if err != nil || strings.Join(got, " ") != tt.want {
			t.Errorf("Versions with %q = %v, %v, want %s", tt.add, got, err, tt.want)
		}
	}
	if _, err := Versions("ClusterRole admin\n", "1.38.0"); err == nil {
		t.Error("no error for a table without its releases")
	}
}
