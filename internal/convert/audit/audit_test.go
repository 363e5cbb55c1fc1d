package audit_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/admsim/admsim/internal/convert/audit"
	"github.com/admsim/admsim/internal/recording"
	"github.com/admsim/admsim/internal/suite/outcome"
)

// created returns the event of a ConfigMap that was created, or refused with the given reason.
func created(name, reason string) string {
	object := `{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"` + name + `","namespace":"shop"}}`
	status, answer := `{"code":201}`, strings.Replace(object, `"namespace"`, `"uid":"1","resourceVersion":"5","namespace"`, 1)
	if reason != "" {
		status = `{"status":"Failure","reason":"` + reason + `","message":"no ` + name + `","code":403}`
		answer = `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"` + reason + `","message":"no ` + name + `","code":403}`
	}
	return `{"kind":"Event","apiVersion":"audit.k8s.io/v1","level":"RequestResponse","auditID":"` + name + `","stage":"ResponseComplete",` +
		`"requestURI":"/api/v1/namespaces/shop/configmaps","verb":"create","user":{"username":"alice"},` +
		`"objectRef":{"resource":"configmaps","namespace":"shop","name":"` + name + `","apiVersion":"v1"},"responseStatus":` + status + `,` +
		`"requestObject":` + object + `,"responseObject":` + answer + "}\n"
}

const (
	brokenLine = `{"kind":"Event",` + "\n"

	read = `{"kind":"Event","apiVersion":"audit.k8s.io/v1","level":"Metadata","auditID":"r","stage":"ResponseComplete","requestURI":"/api/v1/pods","verb":"list","user":{"username":"alice"},"objectRef":{"resource":"pods","apiVersion":"v1"},"responseStatus":{"code":200}}` + "\n"

	deleted = `{"kind":"Event","apiVersion":"audit.k8s.io/v1","level":"RequestResponse","auditID":"d","stage":"ResponseComplete","requestURI":"/api/v1/namespaces/shop/configmaps","verb":"deletecollection","user":{"username":"alice"},"objectRef":{"resource":"configmaps","namespace":"shop","apiVersion":"v1"},"responseStatus":{"code":200}}` + "\n"
)

func sources(log string) []recording.Source {
	return []recording.Source{{Name: "audit.log", Open: func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(log)), nil }}}
}

// Each event is written or counted, once. A line that cannot be read ends the run only if that is requested.
func TestConvert(t *testing.T) {
	for _, tt := range []struct {
		reason string
		log    string
		of     audit.Options
		want   audit.Summary // without Left
		left   map[recording.Code]int
		err    string
	}{
		{"requests are reviews", created("a", "") + created("b", "Forbidden"), audit.Options{}, audit.Summary{Written: 2}, nil, ""},
		{"a request without a review is written without one", deleted, audit.Options{}, audit.Summary{Requests: 1}, nil, ""},
		{"reads are left out", created("a", "") + read, audit.Options{}, audit.Summary{Written: 1}, map[recording.Code]int{recording.ReadOnly: 1}, ""},
		{"an event that is not selected is written for the state that it shows", created("a", ""), audit.Options{Filter: recording.Filter{Resources: []string{"pods"}}}, audit.Summary{State: 1}, nil, ""},
		{"unless it is in another namespace", created("a", ""), audit.Options{Filter: recording.Filter{Namespaces: []string{"other"}}}, audit.Summary{}, map[recording.Code]int{recording.Filtered: 1}, ""},
		{"a broken line is left out", created("a", "") + brokenLine, audit.Options{}, audit.Summary{Written: 1}, map[recording.Code]int{"broken": 1}, ""},
		{"or ends it", brokenLine + created("a", ""), audit.Options{FailBroken: true}, audit.Summary{}, nil, "audit.log:1"},
		{"nothing but broken lines is no recording", brokenLine + brokenLine, audit.Options{}, audit.Summary{}, nil, recording.NothingReadable(recording.Broken, "", "").Error()},
	} {
		var out bytes.Buffer
		got, err := audit.Convert(context.Background(), sources(tt.log), audit.NewReviews(&out, tt.of.Filter, nil), tt.of)
		if tt.err != "" {
			if err == nil || !strings.Contains(err.Error(), tt.err) {
				t.Errorf("%s: error %v, want %s", tt.reason, err, tt.err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", tt.reason, err)
			continue
		}
		left := map[recording.Code]int{}
		for code, one := range got.Left {
			left[code] = one.Count
		}
		if got.Written != tt.want.Written || got.Requests != tt.want.Requests || got.State != tt.want.State || !maps.Equal(left, tt.left) {
			t.Errorf("%s: %d written, %d without a review, %d for what they show, left out %v; want %+v, %v", tt.reason, got.Written, got.Requests, got.State, left, tt.want, tt.left)
		}
		if lines := strings.Count(out.String(), "\n"); lines != got.Written+got.Requests+got.State {
			t.Errorf("%s: there are %d lines", tt.reason, lines)
		}
	}
}

// A file of reviews is written completely, or not at all.
func TestCreateReviews(t *testing.T) {
	for log, whole := range map[string]bool{created("a", ""): true, created("a", "") + brokenLine: false} {
		name := filepath.Join(t.TempDir(), "reviews.jsonl")
		to, err := audit.CreateReviews(name, recording.Filter{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		_, err = audit.Convert(context.Background(), sources(log), to, audit.Options{FailBroken: true})
		if _, missing := os.Stat(name); (err == nil) != whole || (missing == nil) != whole {
			t.Errorf("after the error %v the file exists: %v", err, missing == nil)
		}
	}
}

// Cases that do not pass are left out, and counted by what that says about the log.
func TestKeep(t *testing.T) {
	all := []string{"0001-create-configmaps", "0002-create-configmaps", "0003-create-configmaps", "0004-create-configmaps"}
	log := created("a", "") + created("b", "AlreadyExists") + created("c", "Forbidden") + created("d", "")
	for _, tt := range []struct {
		reason   string
		outcomes []outcome.Outcome
		broken   error // of the suite
		left     map[recording.Code]int
		kept     []string
		err      string
	}{
		{"all pass", []outcome.Outcome{outcome.Passed, outcome.Passed, outcome.Passed, outcome.Passed}, nil, nil, all, ""},
		{"one of each", []outcome.Outcome{outcome.Passed, outcome.Failed, outcome.Failed, outcome.Errored}, nil,
			map[recording.Code]int{"besides-admission": 1, "another-verdict": 1, "cannot-tell": 1}, all[:1], ""},
		{"none pass", []outcome.Outcome{outcome.Failed, outcome.Failed, outcome.Failed, outcome.Failed}, nil,
			map[recording.Code]int{"besides-admission": 1, "another-verdict": 3}, nil, ""},
		{"not all ran", []outcome.Outcome{outcome.Passed}, nil, nil, nil, "was not run to its end"},
		{"the suite could not be run", nil, errors.New("no world"), nil, nil, "cannot be run: no world"},
	} {
		folder := filepath.Join(t.TempDir(), "suite")
		results := &outcome.Results{Suites: []outcome.Suite{{Err: tt.broken}}}
		for i, one := range tt.outcomes {
			results.Suites[0].Cases = append(results.Suites[0].Cases, outcome.Case{Name: all[i], Outcome: one})
		}
		to, _, err := audit.NewFixtures(folder, audit.FixtureOptions{Run: func(context.Context, string) (*outcome.Results, error) { return results, nil }})
		if err != nil {
			t.Fatal(err)
		}
		counts, err := audit.Convert(context.Background(), sources(log), to, audit.Options{})
		if tt.err != "" {
			if err == nil || !strings.Contains(err.Error(), tt.err) {
				t.Errorf("%s: error %v, want %q", tt.reason, err, tt.err)
			}
			if _, err := os.Stat(folder); err == nil {
				t.Errorf("%s: the folder stays", tt.reason)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", tt.reason, err)
			continue
		}
		left := map[recording.Code]int{}
		for code, one := range counts.Left {
			left[code] = one.Count
		}
		if !maps.Equal(left, tt.left) || counts.Written != len(tt.kept) {
			t.Errorf("%s: left out are %v, %d are written; want %v, %d", tt.reason, left, counts.Written, tt.left, len(tt.kept))
		}
		suite, err := os.ReadFile(filepath.Join(folder, "admsim.yaml"))
		if (err == nil) != (len(tt.kept) > 0) {
			t.Errorf("%s: the suite exists: %v", tt.reason, err == nil)
		}
		for _, name := range all {
			_, err := os.Stat(filepath.Join(folder, "requests", name+".yaml"))
			is := slices.Contains(tt.kept, name)
			if (err == nil) != is || bytes.Contains(suite, []byte(name)) != is {
				t.Errorf("%s: case %s has a file: %v, is in the suite: %v; want %v", tt.reason, name, err == nil, bytes.Contains(suite, []byte(name)), is)
			}
		}
	}
}

// allPass are options with a run in which all cases of the suite pass.
var allPass = audit.FixtureOptions{Run: func(_ context.Context, folder string) (*outcome.Results, error) {
	results := &outcome.Results{Suites: make([]outcome.Suite, 1)}
	requests, err := os.ReadDir(filepath.Join(folder, "requests"))
	for _, one := range requests {
		results.Suites[0].Cases = append(results.Suites[0].Cases, outcome.Case{Name: strings.TrimSuffix(one.Name(), ".yaml"), Outcome: outcome.Passed})
	}
	return results, err
}}

// Fixtures are only written to an empty folder, and completely or not at all: after an error, the folder is as before.
func TestFixturesAreWhole(t *testing.T) {
	for log, want := range map[string][]string{
		created("a", ""):              {"admsim.yaml", "requests", "world"},
		created("a", "") + brokenLine: nil,
		read:                          nil, // no case
	} {
		missing := filepath.Join(t.TempDir(), "suite")
		for _, folder := range []string{missing, t.TempDir()} {
			to, _, err := audit.NewFixtures(folder, allPass)
			if err != nil {
				t.Fatal(err)
			}
			_, _ = audit.Convert(context.Background(), sources(log), to, audit.Options{FailBroken: true})
			found, err := os.ReadDir(folder)
			if gone := errors.Is(err, fs.ErrNotExist); gone != (folder == missing && want == nil) {
				t.Errorf("%s exists: %v", folder, !gone)
			}
			var names []string
			for _, one := range found {
				names = append(names, one.Name())
			}
			if !slices.Equal(names, want) {
				t.Errorf("%s has %v, want %v", folder, names, want)
			}
			if want == nil {
				continue
			}
			if _, _, err := audit.NewFixtures(folder, allPass); err == nil {
				t.Error("there is no error about a folder that is not empty")
			}
		}
	}
}

// The world has the last state of the objects that admission looks up. An object that a case may need stays when it is
// deleted; an object that could refuse requests does not. Secrets are never written, not even as params.
func TestFixturesWorld(t *testing.T) {
	object := func(kind, name string) string {
		return `{"kind":"` + kind + `","apiVersion":"v1","metadata":{"name":"` + name + `","namespace":"shop","uid":"1","resourceVersion":"5"}}`
	}
	event := func(verb, resource, name, answer string) string {
		return `{"kind":"Event","apiVersion":"audit.k8s.io/v1","level":"RequestResponse","auditID":"` + verb + name + `","stage":"ResponseComplete","requestURI":"/api/v1/namespaces/shop/` + resource + `/` + name + `","verb":"` + verb + `","user":{"username":"alice"},` +
			`"objectRef":{"resource":"` + resource + `","namespace":"shop","name":"` + name + `","apiVersion":"v1"},"responseStatus":{"code":200},"responseObject":` + answer + "}\n"
	}
	gone := `{"kind":"Status","apiVersion":"v1","status":"Success"}`
	policy := `{"kind":"Event","apiVersion":"audit.k8s.io/v1","level":"RequestResponse","auditID":"p","stage":"ResponseComplete","requestURI":"/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies/p","verb":"get","user":{"username":"alice"},` +
		`"objectRef":{"resource":"validatingadmissionpolicies","name":"p","apiGroup":"admissionregistration.k8s.io","apiVersion":"v1"},"responseStatus":{"code":200},` +
		`"responseObject":{"kind":"ValidatingAdmissionPolicy","apiVersion":"admissionregistration.k8s.io/v1","metadata":{"name":"p","uid":"1","resourceVersion":"5"},"spec":{"paramKind":{"apiVersion":"v1","kind":"Secret"},"matchConstraints":{"resourceRules":[{"apiGroups":[""],"apiVersions":["*"],"operations":["*"],"resources":["pods"]}]},"validations":[{"expression":"true"}]}}}` + "\n"
	log := policy + event("get", "serviceaccounts", "kept", object("ServiceAccount", "kept")) + event("delete", "serviceaccounts", "kept", gone) +
		event("get", "limitranges", "gone", object("LimitRange", "gone")) + event("delete", "limitranges", "gone", gone) +
		event("get", "limitranges", "last", object("LimitRange", "last")) +
		event("get", "secrets", "never", object("Secret", "never")) +
		created("a", "")
	folder := filepath.Join(t.TempDir(), "suite")
	to, _, err := audit.NewFixtures(folder, allPass)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := audit.Convert(context.Background(), sources(log), to, audit.Options{}); err != nil {
		t.Fatal(err)
	}
	var got []string
	err = filepath.WalkDir(filepath.Join(folder, "world"), func(name string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			below, _ := filepath.Rel(folder, name)
			got = append(got, filepath.ToSlash(below))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"world/limitranges/shop/last.yaml", "world/namespaces/shop.yaml", "world/serviceaccounts/shop/kept.yaml", "world/validatingadmissionpolicies.admissionregistration.k8s.io/p.yaml"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the world (-want +got):\n%s", diff)
	}
}
