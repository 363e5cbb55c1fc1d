package changes

import (
	"go/parser"
	"go/token"
	"slices"
	"testing"
)

// Since 1.31 the source has a gate's state in each release; before, only in the current one.
func TestReadGates(t *testing.T) {
	const versioned = `package features

const Grows featuregate.Feature = "grows"

var defaultVersionedKubernetesFeatureGates = map[featuregate.Feature]featuregate.VersionedSpecs{
	Grows: {
		{Version: version.MustParse("1.30"), Default: false, PreRelease: featuregate.Alpha},
		{Version: version.MustParse("1.36"), Default: true, PreRelease: featuregate.Beta},
		{Version: version.MustParse("1.37"), Default: true, PreRelease: featuregate.GA, LockToDefault: true},
	},
	genericfeatures.Later: {
		{Version: version.MustParse("1.38"), Default: true, PreRelease: featuregate.Beta},
	},
	Careful: {
		{Version: version.MustParse("1.38"), Default: false, PreRelease: featuregate.Beta},
		{Version: version.MustParse("1.38"), Default: true, PreRelease: featuregate.Beta, MinCompatibilityVersion: version.MustParse("1.38")},
	},
}

var dependencies = map[featuregate.Feature][]featuregate.Feature{Grows: {Later}}
`
	const unversioned = `package features

var defaultKubernetesFeatureGates = map[featuregate.Feature]featuregate.FeatureSpec{
	Grows:                 {Default: true, PreRelease: featuregate.GA, LockToDefault: true},
	genericfeatures.Later: {Default: false, PreRelease: featuregate.Alpha},
}
`
	tests := []struct {
		reason, source string
		minor          int
		want           map[string]Gate
	}{
		{"the last spec that the release has reached counts", versioned, 36, map[string]Gate{"grows": {Stage: "Beta", On: true}}},
		{"a gate of a later release does not exist", versioned, 37, map[string]Gate{"grows": {"GA", true, true}}},
		{"a gate is off while the previous release has to be compatible", versioned, 38, map[string]Gate{"grows": {"GA", true, true}, "Later": {Stage: "Beta", On: true}, "Careful": {Stage: "Beta"}}},
		{"and on in the next", versioned, 39, map[string]Gate{"grows": {"GA", true, true}, "Later": {Stage: "Beta", On: true}, "Careful": {Stage: "Beta", On: true}}},
		{"the form before 1.31", unversioned, 30, map[string]Gate{"Grows": {"GA", true, true}, "Later": {Stage: "Alpha"}}},
	}
	for _, test := range tests {
		file, err := parser.ParseFile(token.NewFileSet(), "features.go", test.source, 0)
		if err != nil {
			t.Fatal(err)
		}
		names, got := map[string]string{}, map[string]Gate{}
		gateNames(file, names)
		if err := readGates(file, names, test.minor, got); err != nil {
			t.Fatal(err)
		}
		if lines := CompareGates(test.want, got); len(lines) > 0 {
			t.Errorf("%s: 1.%d differs: %q", test.reason, test.minor, lines)
		}
	}
}

func TestComparePlugins(t *testing.T) {
	a, b, c, d := Plugin{"A", true}, Plugin{"B", true}, Plugin{"C", false}, Plugin{"D", true}
	tests := []struct {
		reason   string
		from, to []Plugin
		want     []string
	}{
		{"nothing changed", []Plugin{a, b}, []Plugin{a, b}, nil},
		{"one added, one removed", []Plugin{a, b}, []Plugin{a, c}, []string{"- B: was on by default", "+ C: off by default, after A"}},
		{"a default changed", []Plugin{a, c}, []Plugin{a, {"C", true}}, []string{"~ C: on by default, was off"}},
		{"the order changed, and one was added", []Plugin{a, b, c}, []Plugin{a, c, d, b}, []string{"+ D: on by default, after C", "~ the order differs from B on: now C, B"}},
	}
	for _, test := range tests {
		if got := ComparePlugins(test.from, test.to); !slices.Equal(got, test.want) {
			t.Errorf("%s: ComparePlugins = %q, want %q", test.reason, got, test.want)
		}
	}
}

// A new type is one line, whatever fields it has.
func TestCompareTexts(t *testing.T) {
	from := map[string]string{"Pod": "a type", "Pod spec": "PodSpec", "Pod host": "string", "Gone": "a type", "Gone spec": "x"}
	to := map[string]string{"Pod": "a type", "Pod spec": "PodSpec, required", "Pod level": "int32", "New": "a type", "New spec": "x"}
	want := []string{
		"- Gone: was a type",
		"+ New: a type",
		"- Pod host: was string",
		"+ Pod level: int32",
		"~ Pod spec: PodSpec, required, was PodSpec",
	}
	if got := CompareTexts(from, to); !slices.Equal(got, want) {
		t.Errorf("CompareTexts = %q, want %q", got, want)
	}
}

// CompareTable returns the gates of a release that differ from admsim's table.
func TestCompareTable(t *testing.T) {
	const table = `# A comment.
Same 30:alpha,off 36:beta,on 38:GA,on
Other 30:beta,on
Gone 20:alpha,off 30:gone
Needs 36:alpha,off 36:needs,Same
`
	got := CompareTable(table, "1.37.2", map[string]Gate{
		"Same": {Stage: "Beta", On: true}, "Other": {"Deprecated", false, true}, "Needs": {Stage: "Alpha"}, "New": {Stage: "Alpha"},
	})
	want := []string{"~ New: alpha,off, the table has nothing", "~ Other: deprecated,off,locked, the table has beta,on"}
	if !slices.Equal(got, want) {
		t.Errorf("CompareTable = %q, want %q", got, want)
	}
}
