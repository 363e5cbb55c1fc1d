package yamldoc

import (
	"io/fs"
	"os"
	"path"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	kjson "sigs.k8s.io/json"
	"sigs.k8s.io/yaml"
)

// FuzzPlainValue checks that a plain value is the same for the library that kubectl uses.
func FuzzPlainValue(f *testing.F) {
	for _, text := range []string{
		"a: b", "a: 1\nb: [x, 'y', \"z\"]\n", "a:\n- b: true\n  c:\n", "a: 0x10", "a: 1_000", "a: 010", "a: yes", "n: y", "on: off",
		"a: 1e3", "a: .5", "a: 2026-01-01", "a: 9223372036854775808", "a: ~", "a: null", "a: Null", "1: a", "a: b\n c\n\n d", "'a': 'b\n\n c'",
		"a: {b: c, d: [1, 2,], e: }", "a: 'it''s'", "a: b # c", "? a\n: b", "a: /x", "a: _", "a: 12:30:45", "a: 0", "a: 00", "a: -1", "a: b: c",
		"a:\tb", "<<: b", "a: ''", "'': b", "a: \"b\tc\"", "a: b\u2028c", "{a: b}\n...\n", "- a\n-\n- b", "a: true", "a: =", "É: é", "a: True",
	} {
		f.Add(text)
	}
	for _, root := range []string{"../scenario/testdata", "../../examples", "../../cmd/admsim/testdata", "../replay/testdata"} {
		_ = fs.WalkDir(os.DirFS(root), ".", func(name string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.Contains(" .yaml .yml .json ", " "+path.Ext(name)+" ") {
				return nil
			}
			data, err := os.ReadFile(root + "/" + name)
			if err != nil || len(data) > 1<<16 {
				return err
			}
			for _, c := range strings.Split("\n"+string(data), "\n---\n") {
				f.Add(c)
			}
			return nil
		})
	}
	f.Fuzz(func(t *testing.T, text string) {
		if _, ok := firstBadUTF8([]byte(text)); !ok || strings.ContainsAny(text, beyondPlain) || strings.Contains("\n"+text, "\n---") {
			t.Skip()
		}
		c := Chunk{file: "x.yaml", text: []byte(text)}
		root, err := c.nodes()
		if err != nil || root == nil {
			t.Skip()
		}
		var errs Errors
		if _, ok := newYAMLWalk(c, &errs).document(root); !ok || len(errs) > 0 {
			t.Skip()
		}
		got, ok := plainValue(root)
		if !ok {
			t.Skip()
		}
		var want any
		data, err := yaml.YAMLToJSON(c.text)
		if err == nil {
			err = kjson.UnmarshalCaseSensitivePreserveInts(data, &want)
		}
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("%q (-kubectl +plain): %v\n%s", text, err, diff)
		}
	})
}
