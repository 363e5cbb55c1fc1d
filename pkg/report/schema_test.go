package report

import (
	"encoding/json"
	"flag"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	authenticationv1 "k8s.io/api/authentication/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Commit only what you understand.
var update = flag.Bool("update", false, "rewrite docs/output.schema.json and the golden files of testdata")

const schemaFile = "../../docs/output.schema.json"

// The published schema says just what the types here do, in the words of their comments.
func TestSchema(t *testing.T) {
	s := &schemas{t: t, comments: comments(t), definitions: map[string]any{}}
	kinds := []any{}
	for kind, of := range map[string]reflect.Type{ResultKind: reflect.TypeFor[Result](), ExplanationKind: reflect.TypeFor[Explanation]()} {
		s.definitions[kind+"List"] = object(kind+"s, in the order of their requests.", map[string]any{
			"apiVersion": map[string]any{"const": APIVersion},
			"kind":       map[string]any{"const": kind + "List"},
			"items":      map[string]any{"type": "array", "items": s.of(of)},
		}, "apiVersion", "items", "kind")
	}
	for _, of := range []reflect.Type{reflect.TypeFor[SuiteResults](), reflect.TypeFor[CaseLine](), reflect.TypeFor[SuiteSummary]()} {
		s.of(of)
	}
	for _, name := range []string{ResultKind, ResultKind + "List", ExplanationKind, ExplanationKind + "List", "SuiteResults", "CaseLine", "SuiteSummary"} {
		kinds = append(kinds, map[string]any{"$ref": "#/$defs/" + name})
	}
	got, err := json.MarshalIndent(map[string]any{
		"$schema":     "https://json-schema.org/draft/2020-12/schema",
		"$id":         "https://github.com/admsim/admsim/blob/main/docs/output.schema.json",
		"title":       "Output of admsim, " + APIVersion,
		"description": "What admsim prints with -o json and -o yaml, and on each line with -o jsonl.",
		"oneOf":       kinds,
		"$defs":       s.definitions,
	}, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	got = append(got, '\n')
	if *update {
		if err := os.WriteFile(schemaFile, got, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(schemaFile)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s is not what the types say (go test ./pkg/report -update): -want +got\n%s", schemaFile, diff)
	}
}

// What a field can be, beyond its type.
var values = map[string][]any{
	"Step.phase":                {"mutating", "server", "validating"},
	"Step.outcome":              {"skipped", "allowed", "changed", "denied", "failed"},
	"Hook.outcome":              {"skipped", "allowed", "changed", "denied", "failed", "failed-open"},
	"Change.op":                 {"add", "replace", "remove"},
	"WebhookExplanation.called": {"yes", "no", "depends"},
	"Admission.operation":       {"CREATE", "UPDATE", "DELETE", "CONNECT"},
	"Request.verb":              {"create", "update", "patch", "delete", "deletecollection", "connect", "get"},
	"Result.apiVersion":         {APIVersion},
	"Result.kind":               {ResultKind},
	"Explanation.apiVersion":    {APIVersion},
	"Explanation.kind":          {ExplanationKind},
	"SuiteResults.apiVersion":   {APIVersion},
	"SuiteResults.kind":         {SuiteResultsKind},
	"SuiteSummary.apiVersion":   {APIVersion},
	"SuiteSummary.kind":         {SuiteSummaryKind},
	"CaseLine.apiVersion":       {APIVersion},
	"CaseLine.kind":             {CaseResultKind},
	"CaseResult.outcome":        {"passed", "failed", "error", "skipped"},
}

// schemas are JSON schemas made of Go types.
type schemas struct {
	t           *testing.T
	comments    map[string]string // by type, or type and field
	definitions map[string]any
}

func (s *schemas) of(t reflect.Type) map[string]any {
	switch t {
	case reflect.TypeFor[metav1.Duration]():
		return map[string]any{"type": "string", "description": "A duration, such as 25ms or 1.5s."}
	case reflect.TypeFor[json.RawMessage]():
		return map[string]any{}
	case reflect.TypeFor[metav1.Status]():
		return map[string]any{"type": "object", "description": "A Status of Kubernetes, meta/v1."}
	case reflect.TypeFor[authenticationv1.UserInfo]():
		return map[string]any{"type": "object", "description": "A UserInfo of Kubernetes, authentication.k8s.io/v1."}
	}
	switch t.Kind() {
	case reflect.Pointer:
		return s.of(t.Elem())
	case reflect.String:
		return map[string]any{"type": "string"}
	case reflect.Bool:
		return map[string]any{"type": "boolean"}
	case reflect.Int, reflect.Int32, reflect.Int64:
		return map[string]any{"type": "integer"}
	case reflect.Float64:
		return map[string]any{"type": "number"}
	case reflect.Slice:
		return map[string]any{"type": "array", "items": s.of(t.Elem())}
	case reflect.Map:
		return map[string]any{"type": "object", "additionalProperties": s.of(t.Elem())}
	case reflect.Struct:
		if s.definitions[t.Name()] == nil {
			s.definitions[t.Name()] = map[string]any{} // in case it is in itself
			s.definitions[t.Name()] = s.structure(t)
		}
		return map[string]any{"$ref": "#/$defs/" + t.Name()}
	}
	s.t.Fatalf("no schema for %s", t)
	return nil
}

func (s *schemas) structure(t reflect.Type) map[string]any {
	properties := map[string]any{}
	var required []string
	for _, f := range reflect.VisibleFields(t) {
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if f.Anonymous || name == "" {
			continue
		}
		property := s.of(f.Type)
		if text := s.comments[t.Name()+"."+f.Name]; text != "" && property["$ref"] == nil {
			property["description"] = text
		}
		if words := values[t.Name()+"."+name]; words != nil {
			property["enum"] = words
		}
		properties[name] = property
		if !strings.Contains(options, "omit") {
			required = append(required, name)
		}
	}
	return object(s.comments[t.Name()], properties, required...)
}

func object(description string, properties map[string]any, required ...string) map[string]any {
	o := map[string]any{"type": "object", "properties": properties, "required": required, "additionalProperties": false}
	if description != "" {
		o["description"] = description
	}
	return o
}

// comments are those of the types of the package and of their fields.
func comments(t *testing.T) map[string]string {
	t.Helper()
	all := map[string]string{}
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range file.Decls {
			g, ok := d.(*ast.GenDecl)
			if !ok {
				continue
			}
			for _, spec := range g.Specs {
				if typ, ok := spec.(*ast.TypeSpec); ok {
					all[typ.Name.Name] = commentText(g.Doc)
					fieldComments(all, typ)
				}
			}
		}
	}
	return all
}

func fieldComments(all map[string]string, t *ast.TypeSpec) {
	structure, ok := t.Type.(*ast.StructType)
	if !ok {
		return
	}
	for _, f := range structure.Fields.List {
		for _, name := range f.Names {
			all[t.Name.Name+"."+name.Name] = commentText(f.Doc) + commentText(f.Comment)
		}
	}
}

func commentText(c *ast.CommentGroup) string { return strings.Join(strings.Fields(c.Text()), " ") }
