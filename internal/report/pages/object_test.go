package pages

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/yaml"

	"github.com/admsim/admsim/internal/report/document"
)

func jsonOf(t testing.TB, text string) any {
	t.Helper()
	v, err := document.Decoded([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// The lines are YAML for the same object, in kubectl's layout.
func TestYAMLLines(t *testing.T) {
	for _, object := range []string{
		`{"kind":"Pod","metadata":{"name":"a","labels":{},"managedFields":[{"a":1}]},"spec":{"containers":[{"name":"a","args":["x: y","true"],"ports":[{"p":1},{"p":2}]},{"name":"b"}],"none":[],"nothing":null,"n":1.50}}`,
		`{"a":[[1,[2,{"b":3,"c":[4]}]],[]],"d":[{"e":{"f":[{}]}}]}`,
		`[1,{"a":2}]`, `"x"`, `{}`,
		`{"text":"two\nlines","colon":"a:","dash":"- a","quote":"\"","key with: colon":1}`,
	} {
		var want, got any
		if err := json.Unmarshal([]byte(object), &want); err != nil {
			t.Fatal(err)
		}
		if o, ok := want.(map[string]any); ok {
			document.WithoutManagers(o)
		}
		lines := yamlLines(jsonOf(t, object))
		if err := yaml.Unmarshal([]byte(strings.Join(lines, "\n")), &got); err != nil {
			t.Fatalf("%v\n%s", err, strings.Join(lines, "\n"))
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("-want +got\n%s\n%s", diff, strings.Join(lines, "\n"))
		}
	}
	pod := `{"spec":{"containers":[{"image":"a","ports":[{"a":1,"b":2}]},{"image":"b"}]}}`
	layout, _ := yaml.JSONToYAML([]byte(pod))
	if diff := cmp.Diff(string(layout), strings.Join(yamlLines(jsonOf(t, pod)), "\n")+"\n"); diff != "" {
		t.Errorf("the layout is not kubectl's: -want +got\n%s", diff)
	}
}

// Every version can be read from the listing, whatever was added and removed.
func TestEvolve(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		var versions []document.ObjectVersion
		var wants [][]string
		for i := range 1 + random.IntN(6) {
			var o []string
			for range random.IntN(8) {
				o = append(o, fmt.Sprint(random.IntN(5)))
			}
			text, _ := json.Marshal(o)
			if n := len(wants); n == 0 || !slices.Equal(yamlLines(jsonOf(t, string(text))), wants[n-1]) {
				wants = append(wants, yamlLines(jsonOf(t, string(text))))
			}
			versions = append(versions, document.ObjectVersion{By: fmt.Sprint(i), Object: &runtime.Unknown{Raw: text}})
		}
		e, err := evolve(versions, func(v document.ObjectVersion) (any, error) { return document.Decoded(v.Object.(*runtime.Unknown).Raw) })
		if err != nil {
			t.Fatal(err)
		}
		if len(e.Versions) != len(wants) {
			t.Fatalf("%d versions, want %d", len(e.Versions), len(wants))
		}
		for i, want := range wants {
			var got string
			for _, b := range e.Blocks {
				if b.Born <= i && (b.Died == 0 || b.Died > i) {
					got += b.Text
				}
			}
			if want := strings.Join(want, "\n") + "\n"; got != want {
				t.Fatalf("version %d is\n%swant\n%s", i, got, want)
			}
		}
	}
}

// Unchanged lines are not shown as changed.
func TestEvolveIsSmall(t *testing.T) {
	texts := []string{`{"a":1,"b":2,"c":3}`, `{"a":1,"b":4,"c":3}`, `{"a":1,"b":4,"c":3,"d":{"e":5}}`}
	var versions []document.ObjectVersion
	for _, text := range texts {
		versions = append(versions, document.ObjectVersion{By: "", Object: &runtime.Unknown{Raw: []byte(text)}})
	}
	e, err := evolve(versions, func(v document.ObjectVersion) (any, error) { return document.Decoded(v.Object.(*runtime.Unknown).Raw) })
	if err != nil {
		t.Fatal(err)
	}
	want := []block{{0, 0, "a: 1\n"}, {0, 1, "b: 2\n"}, {1, 0, "b: 4\n"}, {0, 0, "c: 3\n"}, {2, 0, "d:\n  e: 5\n"}}
	if diff := cmp.Diff(want, e.Blocks); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

// The listing of an object takes memory linear in its lines, not quadratic.
func TestEvolutionIsLinear(t *testing.T) {
	taken := func(lines int) int64 {
		items := make([]any, lines)
		for i := range items {
			items[i] = strconv.Itoa(i)
		}
		return testing.Benchmark(func(b *testing.B) {
			for b.Loop() {
				if _, err := evolve([]document.ObjectVersion{{}}, func(document.ObjectVersion) (any, error) { return items, nil }); err != nil {
					b.Fatal(err)
				}
			}
		}).AllocedBytesPerOp()
	}
	small, large := taken(2_000), taken(16_000)
	if large > 16*small {
		t.Errorf("2,000 lines take %d bytes, 16,000 take %d", small, large)
	}
}
