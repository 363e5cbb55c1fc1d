package objects_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/yaml"

	"github.com/admsim/admsim/internal/golden"
	"github.com/admsim/admsim/internal/objects"
	"github.com/admsim/admsim/internal/objects/kinds"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// TestBuiltin runs the files in testdata/builtin. A section "create" or "update [subresource]" is a request; an update
// changes what the previous request stored. The sections after it are expectations: "read" is the object after it was
// read, as the first mutating plugin sees it, "prepared" the object that validating plugins see, "stored" the object in
// the response, "as GROUP/VERSION" the stored object in another version, "invalid" and "warnings" are one text per
// line. Missing sections are not compared.
//
// "in RELEASE" at the end of a request sends it to a server of that release instead of the newest. At the end of
// another section, it sends the same request to a server of that release which has the same object, and the section is
// the expectation there. "in RELEASE with GATE" is a server with a feature gate on, "without GATE" one with the gate
// off.
func TestBuiltin(t *testing.T) {
	if testing.Short() {
		t.Skip("one goroutine does everything")
	}
	golden.Play(t, "testdata/builtin/*.txtar", func(t *testing.T, a *golden.Archive) {
		p, req := &builtinRun{}, builtinRequest{}
		for i, f := range a.Files {
			what, release, other := strings.Cut(f.Name, " in ")
			if verb, subresource, _ := strings.Cut(what, " "); verb == "create" || verb == "update" {
				req = builtinRequest{verb, subresource, f.Data, p.stored}
				p.request(t, req, release)
				continue
			}
			seen := p
			if other {
				seen = &builtinRun{stored: req.stored}
				seen.request(t, req, release)
			}
			a.Compare(t, i, seen.see(t, what))
		}
	})
}

// A builtinRun has the results of the last request.
type builtinRun struct {
	types                  *objects.Types
	read, prepared, stored runtime.Object
	invalid, warnings      []string
}

type builtinRequest struct {
	verb, subresource string
	body              []byte
	stored            runtime.Object // before the request
}

func (p *builtinRun) request(t *testing.T, req builtinRequest, release string) {
	t.Helper()
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	o := objects.Options{Clock: func() time.Time { return now }}
	if release != "" {
		o.Release = parseRelease(t, release)
	}
	p.types = kinds.New(nil, o)
	var kind metav1.TypeMeta
	if err := yaml.Unmarshal(req.body, &kind); err != nil {
		t.Fatal(err)
	}
	data, err := yaml.YAMLToJSON(req.body)
	if err != nil {
		t.Fatal(err)
	}
	p.read, p.warnings, err = p.types.Decode(data, kind.GroupVersionKind(), objects.Warn)
	if err != nil {
		t.Fatal(err)
	}
	w := objects.Write{
		Subresource: req.subresource,
		Now:         now,
		NewUID:      func() types.UID { return "new" },
	}
	obj := p.read.DeepCopyObject()
	m, err := meta.Accessor(obj)
	if err != nil {
		t.Fatal(err)
	}
	if req.verb == "create" {
		m.SetUID("uid")
		p.prepared = p.types.PrepareForCreate(allocated(t, p.types, obj, nil, w), w)
		p.invalid = texts(p.types.Worded(p.types.Validate(p.prepared, w)))
		p.warnings = append(p.warnings, p.types.WarningsOnCreate(p.prepared, w)...)
	} else {
		if p.stored == nil {
			t.Fatalf("nothing to update: %s", lines(p.invalid))
		}
		m.SetResourceVersion("1")
		p.prepared = p.types.PrepareForUpdate(allocated(t, p.types, obj, p.stored, w), p.stored, w)
		p.invalid = texts(p.types.Worded(p.types.ValidateUpdate(p.prepared, p.stored, w)))
		p.warnings = append(p.warnings, p.types.WarningsOnUpdate(p.prepared, p.stored, w)...)
	}
	if len(p.invalid) > 0 {
		return
	}
	if p.stored, _, err = p.types.Stored(p.prepared); err != nil {
		t.Fatal(err)
	}
}

func parseRelease(t *testing.T, text string) *kubeversion.Release {
	t.Helper()
	version, gate, _ := strings.Cut(text, " with")
	r, err := kubeversion.Parse(version)
	if gate, off := strings.CutPrefix(gate, "out "); err == nil && gate != "" {
		r, err = r.With(kubeversion.Flags{FeatureGates: map[string]bool{strings.TrimSpace(gate): !off}})
	}
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func texts[E error](errs []E) []string {
	var out []string
	for _, e := range errs {
		out = append(out, e.Error())
	}
	return out
}

func (p *builtinRun) see(t *testing.T, what string) string {
	t.Helper()
	if version, ok := strings.CutPrefix(what, "as "); ok {
		gvk := p.stored.GetObjectKind().GroupVersionKind()
		to := metav1.TypeMeta{APIVersion: version, Kind: gvk.Kind}
		obj, err := p.types.Served(p.stored, to.GroupVersionKind())
		if err != nil {
			return err.Error() + "\n"
		}
		return p.yaml(t, obj)
	}
	switch what {
	case "read":
		return p.yaml(t, p.read)
	case "prepared":
		return p.yaml(t, p.prepared)
	case "stored":
		return p.yaml(t, p.stored)
	case "invalid":
		return lines(p.invalid)
	case "warnings":
		return lines(p.warnings)
	}
	t.Fatalf("unknown section %q", what)
	return ""
}

func lines(texts []string) string {
	var b strings.Builder
	for _, s := range texts {
		fmt.Fprintln(&b, s)
	}
	return b.String()
}

func (p *builtinRun) yaml(t *testing.T, obj runtime.Object) string {
	t.Helper()
	data, err := p.types.Encode(obj)
	if err != nil {
		t.Fatal(err)
	}
	text, err := yaml.JSONToYAML(data)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
