// Package architecture tests the import rules of the map in docs/design.md.
package architecture

import (
	"bufio"
	"encoding/json"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/admsim/admsim/internal/golden"
)

const module = "github.com/admsim/admsim/"

// lines is the map, from the bottom up: a package may import any line below its own, but nothing on its own line.
var lines = [][]string{
	{"internal/bug"},
	{"internal/apiversion", "internal/celquirks", "internal/deepstack", "internal/endless", "internal/gitfiles", "internal/gocmp", "internal/hint", "internal/inert", "internal/jsonpointer", "internal/latecollection", "internal/memo", "internal/missing", "internal/moved", "internal/objects/image", "internal/ordered", "internal/projectfiles", "internal/smallest", "internal/space/diagram", "internal/space/syntax", "internal/splitmix", "internal/wholefile"},
	{"internal/consent", "internal/didyoumean", "internal/encode", "internal/golden", "internal/markup", "internal/semantic", "internal/steady", "internal/webhooktest", "internal/unset", "internal/certificate", "internal/redact", "internal/space/edges", "pkg/report"},
	{"internal/builtin", "pkg/cluster", "internal/door", "internal/envtest/flags", "internal/fault", "internal/tutorial", "internal/yamldoc"},
	{"pkg/admission", "pkg/kubeversion", "pkg/patch", "internal/managedfields", "internal/variation", "internal/wire"},
	{"internal/jsonread"},
	{"internal/objects/rules", "internal/objects/declared", "internal/podresources"},
	{"internal/objects/customrules", "internal/objects/customschema", "internal/objects/discovery", "internal/objects/pod", "internal/whatif/fields"},
	{
		"internal/objects/admissionregistration", "internal/objects/apiregistration", "internal/objects/apps",

		"internal/objects/autoscaling", "internal/objects/batch", "internal/objects/certificates",
		"internal/objects/coordination", "internal/objects/core", "internal/objects/crd", "internal/objects/custom",
		"internal/objects/flowcontrol", "internal/objects/networking", "internal/objects/node", "internal/objects/policy",
		"internal/objects/rbac", "internal/objects/resource", "internal/objects/reviews", "internal/objects/scheduling", "internal/objects/storage",
		"internal/objects/storagemigration",
	},
	{"pkg/trace", "pkg/discovery", "pkg/expression", "internal/objects", "internal/objects/generic", "internal/rbac", "internal/bootstrap"},
	{"internal/objects/kinds", "internal/params", "internal/plugins/plugin", "internal/report/words"},
	{"internal/catalog", "internal/openapi", "internal/pluginworld", "internal/table", "internal/tokens", "pkg/chain", "pkg/matcher", "pkg/dispatch", "internal/conceal", "internal/report/document"},
	{"internal/authorization"},
	{"internal/space", "internal/view", "internal/plugins/access", "internal/plugins/limits", "internal/plugins/pods", "internal/plugins/resources", "internal/plugins/security"},
	{"internal/rest/access", "internal/rest/change", "internal/rest/selectors", "internal/rest/subresources"},
	{"pkg/plugins", "pkg/plugins/webhook", "pkg/plugins/policy", "pkg/rest", "internal/dependency", "internal/suite/outcome"},
	{"pkg/plugins/hooks", "internal/conformance/plugincall", "internal/manifest"},
	{"internal/auditlog/policy", "internal/envtest", "internal/scenario", "internal/recording", "pkg/simulator", "internal/process", "internal/recorder", "internal/answer/steps", "internal/reference"},
	{"internal/world", "internal/backends", "internal/store", "internal/snapshot", "internal/workload", "internal/suitefile", "internal/suite/cases", "internal/suite/events", "internal/lint", "internal/migrate", "internal/replay/lines", "internal/replay/states", "internal/recording/callee", "internal/answer/secrets", "internal/whatif", "internal/whatif/variant", "internal/whatif/webhooks", "internal/render"},
	{"internal/controllers", "internal/convert", "internal/envtest/credentials", "internal/envtest/etcd", "internal/forks", "internal/serve", "internal/traffic", "internal/replay/answers", "internal/replay/compare", "internal/lint/calls", "internal/lint/manifests", "internal/suite/client", "internal/suite/references", "internal/suite/variants", "internal/answer", "internal/worlds", "internal/whatif/history", "internal/whatif/trouble", "internal/report/text", "internal/report/pages", "internal/report/ci"},
	{"internal/auditlog", "internal/metrics", "internal/survey", "internal/suite/coverage", "internal/suite/expect", "internal/traffic/traffictest"},
	{"internal/serving", "internal/suite", "internal/replay", "internal/whatif/blame", "internal/whatif/changes", "internal/whatif/check", "internal/whatif/diff", "internal/whatif/healing", "internal/whatif/latency", "internal/whatif/outage", "internal/whatif/equivalence", "internal/linter", "internal/scaffold", "internal/explanation", "internal/report/formats"},
	{"internal/envtest/apiserver", "internal/convert/audit", "internal/corpus", "internal/testcluster", "internal/report/reporttest"},
	{"pkg/admsimtest"},
	{"cmd/admsim", "internal/conformance", "internal/performance"},
	{"internal/cmd/bench", "internal/cmd/concurrent", "internal/cmd/conformance", "internal/cmd/declared", "internal/cmd/fieldnumbers", "internal/cmd/hostile", "internal/cmd/openapi"},
}

// TestDiagram writes the lines into the document, from the top down.
func TestDiagram(t *testing.T) {
	const wide = 110
	diagram := "```\n"
	for i, line := range slices.Backward(lines) {
		column := 0
		for _, name := range line {
			if !strings.HasPrefix(name, "internal/cmd/") {
				name = strings.TrimPrefix(name, "internal/")
			}
			if column > 0 && column+2+len(name) > wide {
				diagram += "\n"
				column = 0
			}
			if column > 0 {
				name = "  " + name
			}
			diagram += name
			column += len(name)
		}
		if diagram += "\n"; i > 0 {
			diagram += strings.Repeat("─", wide) + "\n"
		}
	}
	golden.Section(t, filepath.Join("..", "..", "docs", "design.md"),
		"<!-- map: made by go test ./internal/architecture -run Diagram -update -->", "<!-- end of map -->", diagram+"```\n")
}

// doors lists the packages that may import a foreign library: no others may import what starts with the key.
var doors = map[string][]string{
	"github.com/google/cel-go":                     {"pkg/expression", "internal/celquirks", "internal/objects/crd", "internal/objects/customrules", "internal/space/syntax"}, // crd, customrules: the rules in the schemas of CRDs; syntax: only what is written
	"github.com/antlr4-go/antlr":                   {"internal/celquirks"},
	"k8s.io/apiserver/pkg/cel":                     {"pkg/expression", "internal/celquirks", "internal/objects/crd", "internal/objects/custom", "internal/objects/customrules"}, // custom: which parts of an object have not changed
	"k8s.io/apiextensions-apiserver/pkg/apiserver": {"internal/managedfields", "internal/objects/crd", "internal/objects/custom", "internal/objects/customrules", "internal/objects/customschema"},
	"github.com/evanphx/json-patch":                {"pkg/patch"},
	"sigs.k8s.io/structured-merge-diff":            {"internal/managedfields", "internal/objects"},
	"k8s.io/apimachinery/pkg/util/strategicpatch":  {"internal/rest/change"},
	"go.yaml.in/yaml":                              {"internal/yamldoc", "internal/convert"},                                                                                                                                     // convert writes suites
	"sigs.k8s.io/yaml":                             {"internal/yamldoc", "internal/scenario", "internal/door", "internal/wire", "internal/encode", "pkg/rest", "internal/recorder", "internal/snapshot", "internal/pluginworld"}, // encode, door, recorder and snapshot only write it; wire: bodies and answers; the body of an apply is YAML
	"k8s.io/pod-security-admission":                {"internal/plugins/security"},
	"github.com/spf13/cobra":                       {"cmd/admsim"},
	"github.com/prometheus":                        {"internal/metrics"},
	"k8s.io/apiserver/pkg/apis/audit":              {"internal/auditlog", "internal/auditlog/policy", "internal/serve"},                                  // serve: only the names of the stages
	"crypto/tls":                                   {"pkg/dispatch", "internal/objects/core", "internal/certificate", "internal/webhooktest"},            // core: the key pairs in Secrets
	"crypto/ecdsa":                                 {"internal/certificate", "internal/webhooktest", "internal/objects/certificates", "internal/tokens"}, // packages that create keys sign certificates or tokens; certificates: proofs of possession of a key
	"k8s.io/client-go/tools/clientcmd":             {"pkg/dispatch", "internal/plugins/security", "internal/snapshot"},                                   // security: its types
	"k8s.io/client-go/rest":                        {"pkg/dispatch", "internal/snapshot", "pkg/admsimtest"},
	"golang.org/x/net":                             {"pkg/dispatch"}, // for the errors of HTTP/2
	"sigs.k8s.io/kustomize":                        {"internal/render"},
	"os/exec":                                      {"internal/gitfiles", "internal/render", "internal/process", "internal/tutorial", "internal/cmd/bench", "internal/cmd/hostile"},
	"os/signal":                                    {"cmd/admsim", "internal/cmd/bench", "internal/cmd/hostile"},
	"github.com/fsnotify":                          {"cmd/admsim"},
	"github.com/go-json-experiment/json":           {"internal/jsonread"},                       // reads valid input
	"github.com/json-iterator/go":                  {"internal/jsonread"},                       // errors of old releases
	"github.com/klauspost/compress":                {"internal/recorder", "internal/recording"}, // one package writes, one reads
}

// calls are doors that are smaller than a package.
var calls = map[string][]string{
	// Who grants permissions, and who acts on them.
	"consent.New":           {"cmd/admsim", "pkg/admsimtest"},
	"consent.OfProgram":     {"pkg/dispatch"},
	"dispatch.AllowNetwork": {}, // for Go programs of other projects
	"dispatch.NewClient":    {"internal/backends"},
	"process.Start":         {"internal/backends"},
	".OfFlag":               {"internal/backends"},

	// What opens a connection: to where a flag says (recorder, snapshot), to a program that was started with permission
	// (process), or to one's own program (dispatch).
	"DialContext":        {"internal/certificate", "internal/process", "internal/webhooktest", "pkg/dispatch"},
	"http.Get":           {},
	"http.Post":          {},
	"net.Dial":           {},
	"tls.Dial":           {},
	"StartProcess":       {},
	"rest.HTTPClientFor": {"internal/snapshot", "pkg/admsimtest"}, // admsimtest: the caller's own client
	"rest.TransportFor":  {"pkg/dispatch"},

	"net.Listen":             {"internal/door", "internal/recorder", "internal/webhooktest"},
	"x509.CreateCertificate": {"internal/certificate", "internal/webhooktest"}, // for tests, also certificates that no server should have
	"os.Exit":                {"cmd/admsim", "internal/cmd/conformance", "internal/cmd/bench", "internal/cmd/concurrent", "internal/cmd/declared", "internal/cmd/fieldnumbers", "internal/cmd/hostile", "internal/cmd/openapi"},
}

// never lists modules and packages that must not be imported at all.
var never = []string{"k8s.io/kubernetes", "html/template", "text/template"} // templates: TestMethodsNotCalled

// costly lists packages that the command must not be built with, not even indirectly: each is a part of a server or a
// client that admsim does not use, and that would slow down every start.
var costly = []string{
	"github.com/xeipuuv/gojsonschema",
	"go.opentelemetry.io/otel/exporters",
	"golang.org/x/net/trace", // registers HTTP handlers of its own
	"google.golang.org/grpc",
	"html/template",
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation", // with a client for webhooks, and the two above: package objects
	"k8s.io/apimachinery/pkg/apis/meta/internalversion",
	"k8s.io/apimachinery/pkg/util/rand",
	"k8s.io/apiserver/pkg/admission", // with audits, its plugins with informers and a fake client
	"k8s.io/apiserver/pkg/apis/flowcontrol/bootstrap",
	"k8s.io/apiserver/pkg/server",
	"k8s.io/apiserver/pkg/storage",
	"k8s.io/apiserver/pkg/util/webhook",
	"k8s.io/client-go/discovery",
	"k8s.io/client-go/dynamic",
	"k8s.io/client-go/informers",
	"k8s.io/client-go/kubernetes", // clients for all APIs, and a scheme with all types: package builtin
	"k8s.io/client-go/testing",
	"k8s.io/client-go/tools/cache",
	"k8s.io/pod-security-admission/admission/api/scheme",
}

// The command is not built with what it does not use.
func TestStartsWithout(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", module+"cmd/admsim").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	for _, name := range strings.Fields(string(out)) {
		for _, d := range costly {
			if within(name, d) {
				t.Errorf("cmd/admsim is built with %s; go list -deps -json shows what imports it", name)
			}
		}
	}
}

// Methods that nobody calls are not part of the command. If a program looks up a method by a name that is not a
// constant, or by its number, as text/template does, the linker keeps every exported method of every type: 11 MB of the
// command, and a tenth of the memory of each start. The linker marks the reachable functions that do so.
func TestMethodsNotCalled(t *testing.T) {
	if testing.Short() {
		t.Skip("links the command")
	}
	link := exec.Command("go", "build", "-ldflags=-dumpdep", "-o", filepath.Join(t.TempDir(), "admsim"), module+"cmd/admsim")
	link.Env = append(link.Environ(), "CGO_ENABLED=0") // as it is published: with cgo, the linker expects plugins
	out, err := link.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := link.Start(); err != nil {
		t.Fatal(err)
	}
	n := 0
	for lines := bufio.NewReader(out); ; n++ {
		line, err := lines.ReadString('\n')
		if err != nil {
			break
		}
		if by, function, ok := strings.Cut(strings.TrimSpace(line), " -> "); ok && strings.HasSuffix(function, " <ReflectMethod>") {
			t.Errorf("%s looks up methods by name; it is reached from %s", strings.TrimSuffix(function, " <ReflectMethod>"), by)
		}
	}
	if err := link.Wait(); err != nil || n < 10_000 {
		t.Fatalf("go build: %v, after %d lines", err, n)
	}
}

type goPackage struct {
	ImportPath string
	Dir        string
	GoFiles    []string
	Imports    []string
}

func list(t *testing.T) []goPackage {
	t.Helper()
	cmd := exec.Command("go", "list", "-json=ImportPath,Dir,GoFiles,Imports", module+"...")
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	var all []goPackage
	for d := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p goPackage
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			return all
		} else if err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
}

func lineOf(name string) int {
	return slices.IndexFunc(lines, func(line []string) bool { return slices.Contains(line, name) })
}

func TestImports(t *testing.T) {
	packages := list(t)
	if len(packages) < 10 {
		t.Fatalf("go list found %d packages", len(packages))
	}
	for _, p := range packages {
		name := strings.TrimPrefix(p.ImportPath, module)
		line := lineOf(name)
		if line < 0 && name != "internal/architecture" {
			t.Errorf("%s is not on the map: add it to a line", name)
			continue
		}
		for _, imported := range p.Imports {
			if ours, ok := strings.CutPrefix(imported, module); ok {
				if lineOf(ours) >= line {
					t.Errorf("%s imports %s, which is not below it", name, ours)
				}
				continue
			}
			checkForeign(t, name, imported)
		}
	}
}

func checkForeign(t *testing.T, name, imported string) {
	t.Helper()
	for door, by := range doors {
		if within(imported, door) && !slices.Contains(by, name) {
			t.Errorf("%s imports %s, which only %s may", name, imported, strings.Join(by, " and "))
		}
	}
	for _, n := range never {
		if within(imported, n) {
			t.Errorf("%s imports %s", name, imported)
		}
	}
}

// Only the allowed packages make these calls.
func TestCalls(t *testing.T) {
	for _, p := range list(t) {
		name := strings.TrimPrefix(p.ImportPath, module)
		for _, file := range p.GoFiles {
			text, err := os.ReadFile(filepath.Join(p.Dir, file))
			if err != nil {
				t.Fatal(err)
			}
			for call, by := range calls {
				if strings.Contains(string(text), call+"(") && !slices.Contains(by, name) {
					t.Errorf("%s/%s calls %s, which only %s may", name, file, call, strings.Join(by, " and "))
				}
			}
		}
	}
}

// Differences between releases are named features: only kubeversion compares release numbers.
func TestReleasesAreNamed(t *testing.T) {
	ordered := []token.Token{token.LSS, token.LEQ, token.GTR, token.GEQ, token.EQL, token.NEQ}
	for _, p := range list(t) {
		if strings.TrimPrefix(p.ImportPath, module) == "pkg/kubeversion" {
			continue
		}
		for _, file := range p.GoFiles {
			files := token.NewFileSet()
			tree, err := parser.ParseFile(files, filepath.Join(p.Dir, file), nil, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			ast.Inspect(tree, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.BinaryExpr:
					if slices.Contains(ordered, n.Op) && (isMinor(n.X) || isMinor(n.Y)) {
						t.Errorf("%s compares releases by number: name a feature in pkg/kubeversion", files.Position(n.Pos()))
					}
				case *ast.SwitchStmt:
					if n.Tag != nil && isMinor(n.Tag) {
						t.Errorf("%s distinguishes releases by number: name a feature in pkg/kubeversion", files.Position(n.Pos()))
					}
				}
				return true
			})
		}
	}
}

// isMinor reports whether an expression is the number of a release: r.Minor, minor, r.Minor-1.
func isMinor(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.BinaryExpr:
		return isMinor(e.X) || isMinor(e.Y)
	case *ast.ParenExpr:
		return isMinor(e.X)
	case *ast.SelectorExpr:
		return strings.EqualFold(e.Sel.Name, "minor")
	case *ast.Ident:
		return strings.EqualFold(e.Name, "minor")
	}
	return false
}

func within(path, root string) bool { return path == root || strings.HasPrefix(path, root+"/") }
