package expression

import "testing"

// The same mistakes in several kinds are one hint.
func TestMissingHint(t *testing.T) {
	names := Names{Fields: func(_, _ string) []string { return []string{"most", "replicas"} }}
	const message = "apps/v1, Kind=Deployment: undefined field 'mots', undefined field 'replica'\n" +
		"apps/v1, Kind=StatefulSet: undefined field 'mots', undefined field 'replica'"
	if got, want := names.Missing(message), `did you mean "most", "replicas"?`; got != want {
		t.Errorf("the hint is %s, want %s", got, want)
	}
}
