package endless_test

import (
	"testing"

	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/admsim/admsim/internal/endless"
)

func TestCheckInExpression(t *testing.T) {
	for text, want := range map[string]bool{
		"1": true, "1.5Gi": true, "2E": true, "3Ei": true, "1e3": true, "1E-9": true, "1e+1000": true, "one": true, "": true, "1e": true, "1eee": true,
		"1e1001": false, "1E-1001": false, "1e999999999": false, "-1e-999999999": false, "1e99999999999999999999999": false,
	} {
		if err := endless.CheckInExpression(text); (err == nil) != want {
			t.Errorf("CheckInExpression(%q) = %v, want no error: %t", text, err, want)
		}
	}
}

// Every text within the bounds can be compared: the test terminates.
func FuzzQuantityEnds(f *testing.F) {
	for _, text := range []string{"1e1000", "1E-1000", "0.1e-1000", "9Ei", "1e999999999", "+1e+0000000999"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if endless.CheckInExpression(text) != nil {
			return
		}
		if q, err := resource.ParseQuantity(text); err == nil {
			q.Cmp(resource.MustParse("1"))
			q.Add(resource.MustParse("1m"))
		}
	})
}
