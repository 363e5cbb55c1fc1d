package equivalence_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/admsim/admsim/internal/report/document"
	"github.com/admsim/admsim/internal/survey"
	"github.com/admsim/admsim/internal/traffic/traffictest"
	"github.com/admsim/admsim/internal/whatif/diff"
	"github.com/admsim/admsim/internal/whatif/equivalence"
	"github.com/admsim/admsim/pkg/simulator"
)

// A rule is a decision of a webhook and of the policy that replaces it.
type rule struct {
	kind, expression string
	ignore           bool // the failurePolicy of the policy is Ignore: an error admits the request, false denies it

	// same lists mutants that make no difference for any request that the server accepts.
	same []string

	// unseen lists mutants that make a difference only where the webhook looks: nothing in the policy refers to it any
	// more.
	unseen []string
}

var rules = []rule{
	{kind: "Deployment", expression: `object.spec.replicas <= 5`},
	{kind: "Deployment", expression: `object.spec.replicas >= 2 && object.spec.replicas < 100`},
	{kind: "Deployment", expression: `!has(object.spec.minReadySeconds) || object.spec.minReadySeconds <= 30`},
	{kind: "Deployment", ignore: true, expression: `has(object.metadata.labels) && 'team' in object.metadata.labels && object.metadata.labels['team'] in ['red', 'blue']`},
	{
		kind: "Deployment", expression: `object.metadata.?labels['env'].orValue('dev') != 'prod' || object.spec.replicas > 1`,
		same: []string{ // a missing label is like any label except prod
			`object.metadata.?labels['env'].orValue('zdev') != 'prod' || object.spec.replicas > 1`,
			`object.metadata.?labels['env'].orValue('devz') != 'prod' || object.spec.replicas > 1`,
		},
	},
	{kind: "Deployment", expression: `object.spec.template.spec.containers.all(c, c.image.startsWith('registry.example/'))`},
	{kind: "Pod", expression: `!has(object.spec.hostNetwork) || object.spec.hostNetwork == false`},
	{kind: "Pod", ignore: true, expression: `object.spec.containers.all(c, has(c.securityContext) && has(c.securityContext.runAsNonRoot) && c.securityContext.runAsNonRoot)`},
	{kind: "Pod", expression: `object.spec.containers.exists(c, c.name == 'sidecar')`},
	{kind: "Pod", expression: `size(object.spec.containers) <= 3`},
	{kind: "Pod", expression: `object.spec.containers.all(c, c.image.matches('^[a-z]+:[0-9]{1,3}$'))`},
	{kind: "Pod", expression: `object.spec.containers.filter(c, !has(c.livenessProbe)).size() < 2`},
	{
		kind: "Pod", ignore: true, expression: `object.spec.containers.all(c, has(c.resources.limits) && 'memory' in c.resources.limits && quantity(c.resources.limits['memory']).isLessThan(quantity('1Gi')))`,
		unseen: []string{
			`object.spec.containers.all(c, has(c.resources.limits) && 'memory' in c.resources.limits && quantity(c.resources.limits['zmemory']).isLessThan(quantity('1Gi')))`,
			`object.spec.containers.all(c, has(c.resources.limits) && 'memory' in c.resources.limits && quantity(c.resources.limits['memoryz']).isLessThan(quantity('1Gi')))`,
		},
	},
	{kind: "Pod", expression: `!has(object.spec.volumes) || object.spec.volumes.all(v, !has(v.hostPath))`},
	{kind: "ConfigMap", ignore: true, expression: `has(object.data) && size(object.data) < 3 && object.data.all(k, k.startsWith('app'))`},
	{kind: "ConfigMap", expression: `object.metadata.name.endsWith('-config') && !object.metadata.name.contains('secret')`},
	{kind: "ConfigMap", expression: `request.userInfo.username == 'system:serviceaccount:ci:deployer' || 'admins' in request.userInfo.groups`},
}

// A slip is a mistake that people make when they rewrite a condition.
type slip struct {
	name  string
	find  *regexp.Regexp
	write string
}

var slips = []slip{
	{"<= for <", regexp.MustCompile(` < `), ` <= `},
	{"< for <=", regexp.MustCompile(` <= `), ` < `},
	{">= for >", regexp.MustCompile(` > `), ` >= `},
	{"> for >=", regexp.MustCompile(` >= `), ` > `},
	{"!= for ==", regexp.MustCompile(` == `), ` != `},
	{"== for !=", regexp.MustCompile(` != `), ` == `},
	{"|| for &&", regexp.MustCompile(` && `), ` || `},
	{"&& for ||", regexp.MustCompile(` \|\| `), ` && `},
	{"exists for all", regexp.MustCompile(`\.all\(`), `.exists(`},
	{"all for exists", regexp.MustCompile(`\.exists\(`), `.all(`},
	{"a has() that is forgotten", regexp.MustCompile(`!has\([^)]*\) \|\| |has\([^)]*\) && `), ``},
	{"a ! that is forgotten", regexp.MustCompile(`!(has|object)`), `$1`},
	{"another number", regexp.MustCompile(` (\d+)`), ` 1$1`},
	{"another character", regexp.MustCompile(`0-9`), `0-8`},
	{"another repetition", regexp.MustCompile(`\{1,3\}`), `{1,4}`},
	{"another text", regexp.MustCompile(`'([a-z])`), `'z$1`},
	{"a text that goes on", regexp.MustCompile(`([a-z])'`), `${1}z'`},
	{"endsWith for startsWith", regexp.MustCompile(`startsWith`), `endsWith`},
	{"startsWith for endsWith", regexp.MustCompile(`endsWith`), `startsWith`},
	{"== for contains", regexp.MustCompile(`\.contains\(`), `.startsWith(`},
	{"a pattern without its start", regexp.MustCompile(`\^`), ``},
	{"a pattern without its end", regexp.MustCompile(`\$'`), `'`},
	{"a filter of the others", regexp.MustCompile(`filter\(c, !`), `filter(c, `},
	{"greater for less", regexp.MustCompile(`isLessThan`), `isGreaterThan`},
}

// mutants returns an expression with each slip at each place.
func mutants(expression string) (all []string) {
	seen := map[string]bool{expression: true}
	for _, s := range slips {
		for _, at := range s.find.FindAllStringSubmatchIndex(expression, -1) {
			mutant := expression[:at[0]] + string(s.find.ExpandString(nil, s.write, expression, at)) + expression[at[1]:]
			if !seen[mutant] {
				seen[mutant] = true
				all = append(all, mutant)
			}
		}
	}
	return all
}

// A policy that does what the webhook did is found to be equivalent, and each slip in it is detected. With SLIPS=all,
// all of them are tried, otherwise one in eight.
func TestSlipsAreFound(t *testing.T) {
	n, found := 0, 0
	for _, r := range rules {
		t.Run(r.expression, func(t *testing.T) {
			base, before := webhook(t, r), policy(t, r, r.expression)
			if e := compare(t, base, before); e.Verdict != document.Equivalent {
				t.Fatalf("the policy is %s", shown(e))
			} else if e.Tried.Edges < 2 {
				t.Errorf("only %d requests at the edges", e.Tried.Edges)
			}
			for _, mutant := range mutants(r.expression) {
				if n++; n%8 != 0 && os.Getenv("SLIPS") != "all" {
					continue
				}
				against, want := base, document.DifferentDecisions
				switch {
				case slices.Contains(r.same, mutant):
					want = document.Equivalent
				case slices.Contains(r.unseen, mutant):
					against = before
				}
				e := compare(t, against, policy(t, r, mutant))
				if e.Verdict != want {
					t.Errorf("%s\nis found to be %s, want %s", mutant, shown(e), want)
				}
				found++
			}
		})
	}
	t.Logf("%d of %d slips tried", found, n)
}

func shown(e *document.Equivalence) string {
	data, err := json.Marshal(e)
	if err != nil {
		return err.Error()
	}
	return string(data[:min(len(data), 1500)])
}

func compare(t *testing.T, base, head equivalence.Side) *document.Equivalence {
	t.Helper()
	ctx := context.Background()
	q, err := equivalence.New(ctx, base, head, equivalence.Options{})
	if err != nil {
		t.Fatal(err)
	}
	result, err := diff.Run(ctx, base.Make, head.Make, q.Corpus(nil), diff.Options{Counts: q.Counts, Answered: q.Answered})
	if err != nil {
		t.Fatal(err)
	}
	if result.Undecided > 0 {
		t.Fatal(result.Errors[0].Err)
	}
	return q.Answer(result.Document("base", "head"))
}

var resources = map[string]string{"Deployment": `apiGroups: [apps], apiVersions: [v1], resources: [deployments]`, "Pod": `apiGroups: [""], apiVersions: [v1], resources: [pods]`, "ConfigMap": `apiGroups: [""], apiVersions: [v1], resources: [configmaps]`}

func side(t *testing.T, name, text string) equivalence.Side {
	t.Helper()
	w := traffictest.Read(t, text)
	plugins, err := simulator.Plugins{}.Names(w.Simulator().Release())
	if err != nil {
		t.Fatal(err)
	}
	asked := survey.NewWorld(name, w.Simulator(), plugins)
	return equivalence.Side{Asked: &asked, Make: w.Make}
}

func webhook(t *testing.T, r rule) equivalence.Side {
	t.Helper()
	return side(t, "webhook", fmt.Sprintf(`
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata: {name: rules}
webhooks:
- name: rule.example.com
  clientConfig: {url: "https://a.example"}
  admissionReviewVersions: [v1]
  sideEffects: None
  rules: [{operations: [CREATE], %s}]
---
apiVersion: admsim.dev/v1beta1
kind: Backends
backends:
- webhook: rule.example.com
  mock:
  - when: %s
  - deny: {message: refused}
`, resources[r.kind], quoted(r.expression)))
}

func policy(t *testing.T, r rule, expression string) equivalence.Side {
	t.Helper()
	failure := "Fail"
	if r.ignore {
		failure = "Ignore"
	}
	return side(t, "policy", fmt.Sprintf(`
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: rule}
spec:
  matchConstraints:
    resourceRules: [{operations: [CREATE], %s}]
  validations: [{expression: %s}]
  failurePolicy: %s
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: rule}
spec: {policyName: rule, validationActions: [Deny]}
`, resources[r.kind], quoted(expression), failure))
}

func quoted(text string) string { return "'" + strings.ReplaceAll(text, "'", "''") + "'" }
