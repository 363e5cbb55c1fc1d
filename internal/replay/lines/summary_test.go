package lines

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/admsim/admsim/internal/recording"
)

// The end of a damaged file is shown, although it comes after all broken lines of that file.
func TestDamageIsShownFirst(t *testing.T) {
	var s Summary
	for line, code := range []recording.Code{1: recording.Broken, recording.Invalid, recording.Broken, recording.Broken, recording.Damaged, recording.Damaged, recording.Broken} {
		if code != "" {
			s.Add(Unread(&recording.BrokenError{Position: recording.Position{File: "f", Line: line}, Err: errors.New("?"), Code: code}))
		}
	}
	var at []string
	for _, one := range s.Broken {
		at = append(at, one.At)
	}
	if diff := cmp.Diff([]string{"f:5", "f:6", "f:1"}, at); diff != "" || s.Outcomes[Broken] != 7 {
		t.Errorf("%d are broken, shown are (-want +got):\n%s", s.Outcomes[Broken], diff)
	}
}
