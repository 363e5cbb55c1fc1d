package projectfiles_test

import (
	"testing"

	"github.com/admsim/admsim/internal/projectfiles"
)

func TestExclusions(t *testing.T) {
	for _, c := range []struct {
		pattern, name string
		want          bool
		reason        string
	}{
		{"values.yaml", "config/values.yaml", true, "a name, at any depth"},
		{"values.yaml", "values.yaml", true, "a name, at the top"},
		{"values.yaml", "config/my-values.yaml", false, "only whole names"},
		{"*-test.yaml", "config/a-test.yaml", true, "any part of a name"},
		{"ci", "config/ci", true, "a folder"},
		{"ci", "config/ci/a.yaml", false, "the contents of a folder are left out with it"},
		{"ci/*.yaml", "config/ci/a.yaml", true, "the end of a path"},
		{"ci/*.yaml", "config/ci/a/b.yaml", false, "not across slashes"},
		{"config/ci", "config/ci", true, "the whole path"},
		{"./config/ci/", "config/ci", true, "written differently"},
		{"a/config/ci", "config/ci", false, "longer than the path"},
		{"**/ci/**", "ci/a.yaml", true, "as in other tools"},
	} {
		if got := (projectfiles.Exclusions{"nothing", c.pattern}).Match(c.name); got != c.want {
			t.Errorf("%s: %q matches %q: %t, want %t", c.reason, c.pattern, c.name, got, c.want)
		}
	}
	if projectfiles.CheckExclusion("[a") == nil {
		t.Error("[a is accepted")
	}
}
