package batch

import (
	"testing"

	"github.com/admsim/admsim/pkg/kubeversion"
)

// Schedules are refused in the words of robfig/cron, which looks for mistakes in a certain order.
func TestScheduleFault(t *testing.T) {
	for _, test := range []struct{ schedule, want string }{
		{"*/5 1-3 ? jan,dec mon-fri/2", ""},
		{"1,,2 * * * *", ""},
		{"*-1-2 * * * *", ""},
		{"1-2-3 * * * *", "too many hyphens: 1-2-3"},
		{"x-2-3 * * * *", "failed to parse int from x: strconv.Atoi: parsing \"x\": invalid syntax"},
		{"1/2/3 * * * *", "too many slashes: 1/2/3"},
		{"1-2-3/4/5 * * * *", "too many hyphens: 1-2-3/4/5"},
		{"5-x/2/3 * * * *", "failed to parse int from x: strconv.Atoi: parsing \"x\": invalid syntax"},
		{"60/0 * * * *", "beginning of range (60) beyond end of range (59): 60/0"},
		{"*/0 * * * *", "step of range should be a positive number: */0"},
		{"*/-1 * * * *", "negative number (-1) not allowed: -1"},
		{"3-1 * * * *", "beginning of range (3) beyond end of range (1): 3-1"},
		{"* * 0 * *", "beginning of range (0) below minimum (1): 0"},
	} {
		if got := scheduleFault(test.schedule, kubeversion.Default()); got != test.want {
			t.Errorf("scheduleFault(%q) = %q, want %q", test.schedule, got, test.want)
		}
	}
}
