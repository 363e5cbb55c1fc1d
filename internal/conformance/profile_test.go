package conformance

import (
	"strings"
	"testing"
)

// Only the default profile may lack a folder. A recording with any other profile would be played with flags that its
// server did not have.
func TestProfileWithoutFolder(t *testing.T) {
	for name, want := range map[string]string{
		"":         "",
		"default":  "",
		"optional": `a-b: the profile "optional" of the recording has no flags in `,
	} {
		_, err := profileOf(&Recording{ID: "a-b", Profile: name, dir: t.TempDir()})
		switch {
		case want == "" && err != nil:
			t.Errorf("profileOf(%q) = %v", name, err)
		case want != "" && (err == nil || !strings.HasPrefix(err.Error(), want)):
			t.Errorf("profileOf(%q) = %v, want %s…", name, err, want)
		}
	}
}
