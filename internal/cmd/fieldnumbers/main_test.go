package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func folderWith(t *testing.T, name, text string) string {
	t.Helper()
	dir := t.TempDir()
	name = filepath.Join(dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return dir
}

// The fields of a struct are those of all releases, which must agree on their numbers.
func TestPublishedFields(t *testing.T) {
	const older = `package v1beta1
import v1 "k8s.io/api/core/v1"
type Policy struct {
	Old *Selinux "json:\"old,omitempty\" protobuf:\"bytes,1,opt,name=old\""
	Caps []v1.Capability "json:\"caps\" protobuf:\"bytes,2,rep,name=caps,casttype=Capability\""
}`
	const newer = `package v1beta1
type Policy Renamed
type Renamed struct {
	Model "json:\",inline\" protobuf:\"bytes,3,opt,name=model\""
	Untagged int "json:\"untagged\""
}`
	p := readPublished([]string{folderWith(t, "policy/v1beta1/types.go", older), folderWith(t, "policy/v1beta1/more.go", newer)})
	got, err := p.fields(typeName{"policy/v1beta1", "Policy"})
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]publishedField{
		"old":   {"bytes,1,opt,name=old", typeName{"policy/v1beta1", "Selinux"}},
		"caps":  {"bytes,2,rep,name=caps", typeName{"core/v1", "Capability"}},
		"Model": {"bytes,3,opt,name=model", typeName{"policy/v1beta1", "Model"}},
	}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(publishedField{}, typeName{})); diff != "" {
		t.Errorf("fields (-want +got):\n%s", diff)
	}
	if got, err := p.fields(typeName{"policy/v1beta1", "Missing"}); got != nil || err != nil {
		t.Errorf("fields of a type that no release has: %v, %v", got, err)
	}
	p = readPublished([]string{folderWith(t, "policy/v1beta1/types.go", older),
		folderWith(t, "policy/v1beta1/types.go", strings.Replace(older, "bytes,2", "bytes,4", 1))})
	if _, err := p.fields(typeName{"policy/v1beta1", "Policy"}); err == nil || !strings.Contains(err.Error(), "field caps") {
		t.Errorf("a field with two numbers: %v", err)
	}
}

func TestWriteTags(t *testing.T) {
	const before = "package builtin\n\n// A Policy is one.\ntype Policy struct {\n\tmetav1.ObjectMeta `json:\"metadata\"`\n" +
		"\tItems             []string `json:\"items\" patchStrategy:\"merge\" patchMergeKey:\"a\" protobuf:\"bytes,9\"`\n}\n"
	const after = "package builtin\n\n// A Policy is one.\ntype Policy struct {\n\tmetav1.ObjectMeta `json:\"metadata\" protobuf:\"bytes,1\"`\n" +
		"\tItems             []string `json:\"items\" patchStrategy:\"merge\" patchMergeKey:\"a\" protobuf:\"bytes,2\"`\n}\n"
	dir := folderWith(t, "policy.go", before)
	if err := writeTags(dir, map[field]string{{"Policy", "ObjectMeta"}: "bytes,1", {"Policy", "Items"}: "bytes,2"}); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(filepath.Join(dir, "policy.go"))
	if diff := cmp.Diff(after, string(got)); diff != "" || err != nil {
		t.Errorf("policy.go (-want +got), %v:\n%s", err, diff)
	}
}
