package conformance

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A recording is written as it was read, byte for byte, so that a new recording differs from an old one only if the
// server does.
func TestEncode(t *testing.T) {
	if testing.Short() {
		t.Skip("one goroutine does everything")
	}
	releases, err := filepath.Glob(recorded + "/releases/*")
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range append(releases, recorded) {
		recordings := all(t, dir)
		for i := range recordings {
			name := filepath.Join(dir, recordings[i].ID+".json")
			want, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			got, err := recordings[i].Encode()
			if err != nil {
				t.Fatal(err)
			}
			if string(got) != string(want) {
				t.Errorf("%s is not written as it was read (-read +written):\n%s", name, cmp.Diff(string(want), string(got)))
			}
		}
	}
}
