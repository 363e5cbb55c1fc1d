package builtin_test

import (
	"encoding/json"
	"testing"

	"github.com/admsim/admsim/internal/builtin"
)

// Errors of a decoder show the names that types have in the server, as does one that a server of 1.24 returned.
func TestAsServer(t *testing.T) {
	for _, c := range []struct {
		into          any
		text, version string
		want          string
	}{
		{&builtin.ScalerV2beta1{}, `{"metadata": 1}`, "v2beta1", "json: cannot unmarshal number into Go struct field HorizontalPodAutoscaler.metadata of type v1.ObjectMeta"},
		{&builtin.ScalerV2beta1{}, `{"spec": 1}`, "v2beta1", "json: cannot unmarshal number into Go struct field HorizontalPodAutoscaler.spec of type v2beta1.HorizontalPodAutoscalerSpec"},
		{&builtin.CronJob{}, `[]`, "v2alpha1", "json: cannot unmarshal array into Go value of type v2alpha1.CronJob"},
	} {
		err := json.Unmarshal([]byte(c.text), c.into)
		if err == nil {
			t.Fatalf("%s is decoded without an error", c.text)
		}
		if got := builtin.AsServer(err.Error(), c.version); got != c.want {
			t.Errorf("AsServer(%q)\n got %s\nwant %s", err, got, c.want)
		}
	}
}
