package formats

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/admsim/admsim/internal/golden"
	"github.com/admsim/admsim/internal/replay/lines"
	"github.com/admsim/admsim/internal/report/document"
	"github.com/admsim/admsim/internal/whatif/check"
	"github.com/admsim/admsim/pkg/report"
)

const schemaFile = "../../../docs/output.schema.json"

// The published schema matches the types here, with their comments as descriptions.
func TestSchema(t *testing.T) {
	s := &schemas{t: t, comments: comments(t), definitions: map[string]any{}}
	kinds := []any{}
	for kind, of := range map[string]reflect.Type{report.ResultKind: reflect.TypeFor[report.Result](), report.ExplanationKind: reflect.TypeFor[document.Explanation]()} {
		s.definitions[kind+"List"] = object(kind+"s, in the order of their requests.", map[string]any{
			"apiVersion": map[string]any{"const": report.APIVersion},
			"kind":       map[string]any{"const": kind + "List"},
			"items":      map[string]any{"type": "array", "items": s.of(of)},
		}, "apiVersion", "items", "kind")
	}
	for _, name := range []string{report.ResultKind, report.ResultKind + "List", report.ExplanationKind, report.ExplanationKind + "List"} {
		kinds = append(kinds, map[string]any{"$ref": "#/$defs/" + name})
	}
	for _, of := range []reflect.Type{
		reflect.TypeFor[document.SuiteResults](), reflect.TypeFor[document.CaseLine](), reflect.TypeFor[document.SuiteSummary](),
		reflect.TypeFor[lines.Replay](), reflect.TypeFor[lines.Line](), reflect.TypeFor[lines.ReplayLast](),
		reflect.TypeFor[document.Diff](), reflect.TypeFor[document.DiffRequest](), reflect.TypeFor[document.Outage](), reflect.TypeFor[document.Check](),
		reflect.TypeFor[document.Blame](), reflect.TypeFor[document.Latency](), reflect.TypeFor[document.Survey](), reflect.TypeFor[document.Equivalence](),
		reflect.TypeFor[document.PluginList](), reflect.TypeFor[document.PluginDocument](), reflect.TypeFor[document.VersionList](), reflect.TypeFor[document.VersionDocument](), reflect.TypeFor[document.Build](),
	} {
		kinds = append(kinds, s.of(of))
	}
	got, err := json.MarshalIndent(map[string]any{
		"$schema":     "https://json-schema.org/draft/2020-12/schema",
		"$id":         "https://raw.githubusercontent.com/admsim/admsim/main/docs/output.schema.json",
		"title":       "Output of admsim, " + report.APIVersion,
		"description": "What admsim prints with -o json and -o yaml, and on each line with -o jsonl.",
		"oneOf":       kinds,
		"$defs":       s.definitions,
	}, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	golden.File(t, schemaFile, string(got)+"\n")
}

// The possible values of a field, if its type does not say.
var values = map[string][]any{
	"Step.phase":                {"mutating", "server", "validating"},
	"Step.outcome":              {"skipped", "allowed", "changed", "denied", "failed"},
	"Hook.outcome":              {"skipped", "allowed", "changed", "denied", "failed", "failed-open"},
	"Change.op":                 {"add", "replace", "remove"},
	"WebhookExplanation.called": {"yes", "no", "depends"},
	"Admission.operation":       {"CREATE", "UPDATE", "DELETE", "CONNECT"},
	"Request.verb":              {"create", "update", "patch", "delete", "deletecollection", "connect", "get"},
	"CaseResult.outcome":        {"passed", "failed", "error", "skipped"},
	"DiffGroup.change":          textsOf(document.Changes()),
	"Difference.change":         textsOf(document.Changes()),
	"WebhookTrouble.mode":       {"down", "hang", "slow", "error", "bad-tls"},
	"CheckFinding.check":        textsOf(check.Names()),
	"Setter.sort":               {"user", "stored", "default", "plugin", "policy", "webhook", "server"},
	"PhaseLatency.phase":        {"mutating", "validating"},
	"Survey.question":           {document.SurveyOfChanges, document.SurveyOfHooks, document.SurveyOfOutages, document.SurveyOfGaps},
	"Equivalence.verdict":       {string(document.Equivalent), string(document.DifferentRequests), string(document.DifferentDecisions), string(document.Untried)},
	"SurveySubject.change":      {"added", "removed", "changed", "renamed"},
	"SurveyRegion.what":         {document.NewlyAsked, document.NoLongerAsked, document.NewlyRefused, document.NoLongerRefused, document.IsAsked, document.IsRefused, document.IsFailing, document.WouldFail, document.WouldPass, document.IsUnseen, document.IsSeenOpen},
	"ReplayLine.outcome":        {"agrees", "differs", "cannot-tell", "skipped", "broken"},
}

// kindOf has the types that are documents, with their kinds.
var kindOf = map[string]string{
	"Result": report.ResultKind, "Explanation": report.ExplanationKind,
	"SuiteResults": document.SuiteResultsKind, "CaseLine": document.CaseResultKind, "SuiteSummary": document.SuiteSummaryKind,
	"Replay": lines.ReplayKind, "Diff": document.DiffKind, "DiffRequest": document.DiffRequestKind, "Outage": document.OutageKind, "Check": document.CheckKind,
	"Blame": document.BlameKind, "Latency": document.LatencyKind, "Survey": document.SurveyKind, "Equivalence": document.EquivalenceKind, "Lint": document.LintKind, "LintRules": document.LintRulesKind,
	"PluginList": document.PluginListKind, "PluginDocument": document.PluginKind, "VersionList": document.VersionListKind, "VersionDocument": document.VersionKind, "Build": document.BuildKind,
}

func textsOf[W ~string](all []W) (values []any) {
	for _, one := range all {
		values = append(values, string(one))
	}
	return values
}

// schemas builds JSON schemas from Go types.
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
	case reflect.TypeFor[time.Time]():
		return map[string]any{"type": "string", "format": "date-time"}
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
	case reflect.Int, reflect.Int32, reflect.Int64, reflect.Uint64:
		return map[string]any{"type": "integer"}
	case reflect.Float64:
		return map[string]any{"type": "number"}
	case reflect.Slice:
		return map[string]any{"type": "array", "items": s.of(t.Elem())}
	case reflect.Map:
		return map[string]any{"type": "object", "additionalProperties": s.of(t.Elem())}
	case reflect.Struct:
		name := definitionName(t)
		if s.definitions[name] == nil {
			s.definitions[name] = map[string]any{} // in case the type contains itself
			s.definitions[name] = s.structure(t, name)
		}
		return map[string]any{"$ref": "#/$defs/" + name}
	}
	s.t.Fatalf("no schema for %s", t)
	return nil
}

// definitionName returns the name of a type in the schema. Names of types of a replay begin with that word.
func definitionName(t reflect.Type) string {
	prefix := ""
	if t.PkgPath() == reflect.TypeFor[lines.Line]().PkgPath() {
		prefix = "Replay"
	}
	return prefixed(prefix, t.Name())
}

func prefixed(prefix, name string) string {
	if strings.HasPrefix(name, prefix) {
		prefix = ""
	}
	return prefix + strings.ToUpper(name[:1]) + name[1:]
}

func (s *schemas) structure(t reflect.Type, of string) map[string]any {
	properties := map[string]any{}
	var required []string
	for _, f := range reflect.VisibleFields(t) {
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if f.Anonymous || name == "" || name == "-" {
			continue
		}
		property := s.of(f.Type)
		owner := t // of the field, which may be one of an embedded type
		for _, i := range f.Index[:len(f.Index)-1] {
			owner = owner.Field(i).Type
		}
		if text := s.comments[definitionName(owner)+"."+f.Name]; text != "" && property["$ref"] == nil {
			property["description"] = text
		}
		words := values[of+"."+name]
		switch kind := kindOf[of]; {
		case kind != "" && name == "apiVersion":
			words = []any{report.APIVersion}
		case kind != "" && name == "kind":
			words = []any{kind}
		}
		if words != nil {
			property["enum"] = words
		}
		properties[name] = property
		if !strings.Contains(options, "omit") {
			required = append(required, name)
		}
	}
	return object(s.comments[of], properties, required...)
}

func object(description string, properties map[string]any, required ...string) map[string]any {
	o := map[string]any{"type": "object", "properties": properties, "additionalProperties": false}
	if len(required) > 0 { // null is not a list
		o["required"] = required
	}
	if description != "" {
		o["description"] = description
	}
	return o
}

// comments returns the comments of the types that are shown, and of their fields.
func comments(t *testing.T) map[string]string {
	t.Helper()
	all := map[string]string{}
	for folder, prefix := range map[string]string{"../../../pkg/report": "", "../document": "", "../../replay/lines": "Replay"} {
		files, err := filepath.Glob(folder + "/*.go")
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range files {
			commentsIn(t, name, prefix, all)
		}
	}
	return all
}

func commentsIn(t *testing.T, name, prefix string, all map[string]string) {
	t.Helper()
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
				of := prefixed(prefix, typ.Name.Name)
				all[of] = commentText(g.Doc)
				fieldComments(all, typ, of)
			}
		}
	}
}

func fieldComments(all map[string]string, t *ast.TypeSpec, of string) {
	structure, ok := t.Type.(*ast.StructType)
	if !ok {
		return
	}
	for _, f := range structure.Fields.List {
		for _, name := range f.Names {
			all[of+"."+name.Name] = commentText(f.Doc) + commentText(f.Comment)
		}
	}
}

func commentText(c *ast.CommentGroup) string { return strings.Join(strings.Fields(c.Text()), " ") }
