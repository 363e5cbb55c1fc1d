package policy_test

import (
	"fmt"
	"io/fs"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apiserver/pkg/apis/audit"
	auditv1 "k8s.io/apiserver/pkg/apis/audit/v1"
	upstream "k8s.io/apiserver/pkg/audit/policy"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/authorization/authorizer"

	"github.com/admsim/admsim/internal/auditlog/policy"
	"github.com/admsim/admsim/internal/golden"
	"github.com/admsim/admsim/internal/manifest"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// Each archive holds policies. The golden text has what is wrong with each of them, and what the server ignores.
func TestLoad(t *testing.T) {
	golden.Folders(t, "testdata/*.txtar", func(t *testing.T, files fstest.MapFS) string {
		names, err := fs.Glob(files, "*.yaml")
		if err != nil {
			t.Fatal(err)
		}
		release := kubeversion.Default()
		if file, ok := files["release"]; ok {
			if release, err = kubeversion.Parse(strings.TrimSpace(string(file.Data))); err != nil {
				t.Fatal(err)
			}
		}
		var b strings.Builder
		for _, name := range names {
			p, warnings, err := policy.Load(name, release, manifest.Options{FS: files})
			for _, w := range warnings {
				fmt.Fprintf(&b, "warning: %v\n", w)
			}
			if err != nil {
				fmt.Fprintln(&b, err)
			} else {
				fmt.Fprintf(&b, "%s: %d rules\n", name, len(p.Rules))
			}
		}
		return b.String()
	})
}

// Random policies decide about random requests as the server's own package does.
func TestAsUpstream(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	logged := 0
	for range 20_000 {
		p := randomPolicy(random)
		whole := &audit.Policy{}
		if err := auditv1.Convert_v1_Policy_To_audit_Policy(p.DeepCopy(), whole, nil); err != nil {
			t.Fatal(err)
		}
		question := randomRequest(random)
		want := upstream.NewPolicyRuleEvaluator(whole).EvaluatePolicyRule(question)
		got := (&policy.Policy{Policy: *p}).For(question)
		if string(got.Level) != string(want.Level) {
			t.Fatalf("For(%+v) = %v, want %v, with the policy %+v", question, got.Level, want.Level, p)
		}
		if got.Level == auditv1.LevelNone {
			continue
		}
		logged++
		var omitted []auditv1.Stage
		for _, stage := range stages {
			if slices.Contains(want.OmitStages, audit.Stage(stage)) {
				omitted = append(omitted, stage)
			}
			if got.Omits(stage) != slices.Contains(omitted, stage) {
				t.Fatalf("Omits(%s) = %v for %+v, with the policy %+v", stage, got.Omits(stage), question, p)
			}
		}
		if diff := cmp.Diff(want.OmitManagedFields, got.OmitManagedFields); diff != "" {
			t.Fatalf("OmitManagedFields (-want +got):\n%s", diff)
		}
	}
	if logged < 2000 {
		t.Errorf("only %d requests were logged: the policies are too strict", logged)
	}
}

var (
	levels = []auditv1.Level{auditv1.LevelNone, auditv1.LevelMetadata, auditv1.LevelRequest, auditv1.LevelRequestResponse}
	stages = []auditv1.Stage{auditv1.StageRequestReceived, auditv1.StageResponseStarted, auditv1.StageResponseComplete, auditv1.StagePanic}
)

func some[T any](random *rand.Rand, of ...T) (chosen []T) {
	for _, one := range of {
		if random.IntN(4) == 0 {
			chosen = append(chosen, one)
		}
	}
	return chosen
}

func oneOf[T any](random *rand.Rand, of ...T) T { return of[random.IntN(len(of))] }

func randomPolicy(random *rand.Rand) *auditv1.Policy {
	p := &auditv1.Policy{OmitStages: some(random, stages...), OmitManagedFields: oneOf(random, true, false)}
	for range 1 + random.IntN(4) {
		r := auditv1.PolicyRule{Level: oneOf(random, levels...), OmitStages: some(random, stages...), OmitManagedFields: oneOf(random, nil, new(true), new(false))}
		if random.IntN(2) == 0 {
			r.Users = some(random, "anna", "ben", "")
		}
		if random.IntN(2) == 0 {
			r.UserGroups = some(random, "dev", "ops")
		}
		if random.IntN(2) == 0 {
			r.Verbs = some(random, "get", "create")
		}
		switch random.IntN(3) {
		case 0:
			r.Namespaces = some(random, "", "shop", "kube-system")
			for range random.IntN(3) {
				r.Resources = append(r.Resources, auditv1.GroupResources{
					Group: oneOf(random, "", "apps", "*"), ResourceNames: some(random, "a", "b"),
					Resources: some(random, "pods", "pods/log", "*", "pods/*", "*/log", "services/*", "*/"),
				})
			}
		case 1:
			r.NonResourceURLs = some(random, "*", "/api*", "/healthz", "/metrics", "/api/*")
		}
		p.Rules = append(p.Rules, r)
	}
	return p
}

func randomRequest(random *rand.Rand) authorizer.AttributesRecord {
	q := authorizer.AttributesRecord{Verb: oneOf(random, "get", "create", "list"), Path: oneOf(random, "/api", "/api/v1", "/healthz", "/metrics", "/")}
	if random.IntN(8) > 0 {
		q.User = &user.DefaultInfo{Name: oneOf(random, "anna", "ben", "carl"), Groups: some(random, "dev", "ops", "other")}
	}
	if q.ResourceRequest = random.IntN(3) > 0; q.ResourceRequest {
		q.APIGroup, q.Resource = oneOf(random, "", "apps"), oneOf(random, "pods", "services")
		q.Namespace, q.Name, q.Subresource = oneOf(random, "", "shop"), oneOf(random, "", "a", "c"), oneOf(random, "", "log", "status")
	}
	return q
}
