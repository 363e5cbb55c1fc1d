package migrate

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Only the versions change in each text: OLD stands for the older version, and NEW for what becomes the new one.
func TestFile(t *testing.T) {
	for _, c := range []struct {
		reason, name, text string
		documents          int
	}{
		{"comments, quotes and order stay", "a.yaml", "# OLD, in a comment\nkind:   Suite # b\napiVersion: NEW   # OLD\ncases: []\n", 1},
		{"quoted values", "a.yaml", `{apiVersion: "NEW", kind: 'Request'}` + "\n---\n'apiVersion': 'NEW'\nkind: Backends", 2},
		{"other documents", "a.yaml", "apiVersion: v1\nkind: ConfigMap\ndata:\n  a: |\n    apiVersion: OLD\n  apiVersion: x\n---\napiVersion: NEW\nkind: Faults\n", 1},
		{"requests of cases, items of lists, configurations of plugins", "a.yaml", "apiVersion: v1\nkind: List\nitems:\n- apiVersion: NEW\n  kind: Suite\n  cases:\n  - request: {é: 1, apiVersion: NEW}\n- plugins:\n  - configuration:\n      apiVersion: NEW\n", 3},
		{"Windows line breaks, and a byte order mark", "a.yaml", "\ufeffapiVersion: NEW\r\nkind: Suite\r\n", 1},
		{"an anchor and its alias", "a.yaml", "apiVersion: &v NEW\nother: {apiVersion: *v}\n", 1},
		{"JSON", "a.json", "{\"apiVersion\":\t\"NEW\", \"a\": \"OLD\"}\n{\"apiVersion\": \"NEW\"}", 2},
		{"two in a line", "a.yaml", "- {apiVersion: NEW, a: {apiVersion: NEW}}\n- {apiVersion: OLDX}\n", 2},
		{"archives", "a.txtar", "a comment, OLD\n-- a_admsim.yaml --\napiVersion: NEW\n-- notes.md --\napiVersion: OLD\n", 1},
		{"nothing to do, in a file that is not YAML", "a.yaml", "{{ if .Values.x }}\napiVersion: {{ .Values.y }}\n", 0},
		{"a file of the current version", "a.yaml", "apiVersion: NEW\n", 0},
	} {
		before := strings.NewReplacer("OLD", "admsim.dev/v1alpha1", "NEW", "admsim.dev/v1alpha1").Replace(c.text)
		want := strings.NewReplacer("OLD", "admsim.dev/v1alpha1", "NEW", "admsim.dev/v1beta1").Replace(c.text)
		if c.documents == 0 {
			before = want
		}
		got, documents, err := File(c.name, []byte(before))
		if err != nil || documents != c.documents || string(got) != want {
			t.Errorf("%s: %d documents, want %d, error %v (-want +got):\n%s", c.reason, documents, c.documents, err, cmp.Diff(want, string(got)))
		}
		if again, n, err := File(c.name, got); err != nil || n != 0 || string(again) != string(got) {
			t.Errorf("%s: the second run changes %d documents, error %v", c.reason, n, err)
		}
	}
}

// A file that cannot be migrated is an error, and never migrated in part.
func TestFileFails(t *testing.T) {
	for text, want := range map[string]string{
		"apiVersion: admsim.dev/v1alpha1\na: [\n": "a.yaml:2",
		"apiVersion: >-\n  admsim.dev/v1alpha1\n": "a.yaml:1: admsim.dev/v1alpha1 is written in a way that is not understood; write admsim.dev/v1beta1 there",
	} {
		if got, _, err := File("a.yaml", []byte(text)); err == nil || !strings.Contains(err.Error(), want) || got != nil {
			t.Errorf("File(%q) = %q, %v, want the error %s", text, got, err, want)
		}
	}
}
