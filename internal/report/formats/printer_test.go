package formats

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"

	"github.com/admsim/admsim/internal/report/document"
	"github.com/admsim/admsim/pkg/report"
)

// One result is a document, several are a list, and none are nothing; as lines, each is a document.
func TestPrinter(t *testing.T) {
	for _, tt := range []struct {
		format    Format
		results   int
		documents []string // their kinds, with the number of items of a list
	}{
		{JSON, 0, nil},
		{JSON, 1, []string{"Result"}},
		{JSON, 3, []string{"ResultList of 3"}},
		{YAML, 0, nil},
		{YAML, 1, []string{"Result"}},
		{YAML, 2, []string{"ResultList of 2"}},
		{JSONLines, 0, nil},
		{JSONLines, 2, []string{"Result", "Result"}},
	} {
		var b strings.Builder
		p := NewPrinter(&b, tt.format, document.Options{})
		for range tt.results {
			if err := p.Result(&document.Answer{Result: &report.Result{TypeMeta: report.TypeMeta{APIVersion: report.APIVersion, Kind: report.ResultKind}, Allowed: true, Text: "<&>"}}); err != nil {
				t.Fatal(err)
			}
		}
		if err := p.Close(); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(tt.documents, documents(t, tt.format, b.String())); diff != "" {
			t.Errorf("%d results as %s: -want +got\n%s", tt.results, tt.format, diff)
		}
		if tt.results > 0 && !strings.Contains(b.String(), "<&>") {
			t.Errorf("%s escapes <&>:\n%s", tt.format, &b)
		}
	}
}

func documents(t *testing.T, f Format, text string) (kinds []string) {
	t.Helper()
	if f == YAML && text != "" {
		data, err := yaml.YAMLToJSON([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		text = string(data)
	}
	for d := json.NewDecoder(strings.NewReader(text)); d.More(); {
		var one struct {
			report.TypeMeta
			Items []report.Result
		}
		if err := d.Decode(&one); err != nil {
			t.Fatal(err)
		}
		if one.APIVersion != report.APIVersion {
			t.Errorf("apiVersion %q", one.APIVersion)
		}
		if one.Items != nil {
			one.Kind += " of " + string(rune('0'+len(one.Items)))
		}
		kinds = append(kinds, one.Kind)
	}
	return kinds
}
