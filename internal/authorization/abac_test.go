package authorization_test

import (
	"fmt"
	"strings"
	"testing"

	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/authorization/authorizer"

	"github.com/admsim/admsim/internal/authorization"
	"github.com/admsim/admsim/pkg/admission"
)

func abac(t *testing.T, lines string) (authorizer.UnconditionalAuthorizer, error) {
	t.Helper()
	chain, err := authorization.NewChain([]string{"ABAC"}, admission.Authorizers{Policy: []byte(lines), PolicyFile: "abac.jsonl"}, nil, nil)
	return authorization.New(nil, nil, release(t, "1.37"), chain, authorization.Asking{}), err
}

const versioned = `{"apiVersion":"abac.authorization.kubernetes.io/v1beta1","kind":"Policy","spec":`

// A line allows what matches all of its fields. An empty field matches only questions in which it is empty (AU-40,
// AU-41). A line without a version allows more (AU-42).
func TestPolicies(t *testing.T) {
	shop := authorizer.AttributesRecord{Verb: "get", Namespace: "shop", APIGroup: "apps", Resource: "deployments", ResourceRequest: true}
	create, pods, nodes, healthz := shop, shop, shop, authorizer.AttributesRecord{Verb: "get", Path: "/healthz/etcd"}
	create.Verb, pods.APIGroup, pods.Resource, nodes.Namespace = "create", "", "pods", ""
	ann, nobody := []string{"ann", "dev", "system:authenticated"}, []string{"system:anonymous", "system:unauthenticated"}
	for _, tt := range []struct {
		line     string
		who      []string
		question authorizer.AttributesRecord
		allowed  bool
	}{
		{versioned + `{"user":"ann","namespace":"shop","resource":"deployments","apiGroup":"apps"}}`, ann, create, true},
		{versioned + `{"user":"bob","namespace":"*","resource":"*","apiGroup":"*"}}`, ann, shop, false},
		{versioned + `{"user":"*","namespace":"*","resource":"*","apiGroup":"*"}}`, nobody, shop, true},
		{versioned + `{"group":"dev","namespace":"*","resource":"*","apiGroup":"*"}}`, ann, shop, true},
		{versioned + `{"group":"ops","namespace":"*","resource":"*","apiGroup":"*"}}`, ann, shop, false},
		{versioned + `{"user":"ann","group":"ops","namespace":"*","resource":"*","apiGroup":"*"}}`, ann, shop, false},
		{versioned + `{"user":"ann","group":"*","namespace":"*","resource":"*","apiGroup":"*"}}`, ann, shop, true},
		{versioned + `{"namespace":"*","resource":"*","apiGroup":"*"}}`, ann, shop, false},
		{versioned + `{"user":"ann","namespace":"*","resource":"*","apiGroup":"*","readonly":true}}`, ann, shop, true},
		{versioned + `{"user":"ann","namespace":"*","resource":"*","apiGroup":"*","readonly":true}}`, ann, create, false},
		{versioned + `{"user":"ann","namespace":"*","resource":"*"}}`, ann, shop, false},
		{versioned + `{"user":"ann","namespace":"*","resource":"*"}}`, ann, pods, true},
		{versioned + `{"user":"ann","resource":"*","apiGroup":"*"}}`, ann, shop, false},
		{versioned + `{"user":"ann","resource":"*","apiGroup":"*"}}`, ann, nodes, true},
		{versioned + `{"user":"ann","nonResourcePath":"*"}}`, ann, shop, false},
		{versioned + `{"user":"ann","nonResourcePath":"*"}}`, ann, healthz, true},
		{versioned + `{"user":"ann","nonResourcePath":"/healthz/*"}}`, ann, healthz, true},
		{versioned + `{"user":"ann","nonResourcePath":"/healthz"}}`, ann, healthz, false},
		{versioned + `{"user":"ann","namespace":"*","resource":"*","apiGroup":"*"}}`, ann, healthz, false},
		{`{}`, ann, create, true},
		{`{}`, ann, healthz, true},
		{`{}`, nobody, shop, false},
		{`{"user":"*"}`, nobody, shop, false},
		{`{"user":"bob","group":"*"}`, ann, shop, true},
		{`{"user":"ann","resource":"deployments"}`, ann, shop, true},
		{`{"user":"ann","resource":"deployments"}`, ann, healthz, false},
		{`{"user":"ann","namespace":"other"}`, ann, shop, false},
		{`{"apiVersion":"abac.authorization.kubernetes.io/v0","kind":"Policy","user":"ann"}`, ann, shop, true},
		{"# {}\n\n  \n", ann, shop, false},
	} {
		a, err := abac(t, tt.line)
		if err != nil {
			t.Errorf("%s: %v", tt.line, err)
			continue
		}
		tt.question.User = &user.DefaultInfo{Name: tt.who[0], Groups: tt.who[1:]}
		decision, reason, err := a.Authorize(t.Context(), tt.question)
		want := "abac: No policy matched."
		if tt.allowed {
			want = ""
		}
		if allowed := decision == authorizer.DecisionAllow; allowed != tt.allowed || reason != want || err != nil {
			t.Errorf("%s: %s %s %s%s: %v, %q, %v; want %v, %q", tt.line, tt.who[0], tt.question.Verb, tt.question.Resource, tt.question.Path, allowed, reason, err, tt.allowed, want)
		}
	}
}

// A rules review lists the rules of the lines that apply to the user in a namespace (AU-44).
func TestPolicyRules(t *testing.T) {
	a, err := abac(t, versioned+`{"user":"ann","namespace":"shop","resource":"pods","readonly":true}}
		`+versioned+`{"user":"ann","namespace":"other","resource":"pods"}}
		`+versioned+`{"user":"bob","namespace":"*","resource":"pods"}}
		{"group":"dev"}`)
	if err != nil {
		t.Fatal(err)
	}
	resources, others, incomplete, err := a.(authorizer.RuleResolver).RulesFor(t.Context(), &user.DefaultInfo{Name: "ann", Groups: []string{"dev"}}, "shop")
	var got []string
	for _, r := range resources {
		got = append(got, fmt.Sprint(r.GetVerbs(), r.GetAPIGroups(), r.GetResources()))
	}
	for _, r := range others {
		got = append(got, fmt.Sprint(r.GetVerbs(), r.GetNonResourceURLs()))
	}
	if want := "[get list watch] [] [pods]; [*] [*] [*]; [*] [*]"; strings.Join(got, "; ") != want || incomplete || err != nil {
		t.Errorf("RulesFor() = %s, incomplete %v, %v; want %s", strings.Join(got, "; "), incomplete, err, want)
	}
}

// An error about an unreadable line has its number (AU-43).
func TestPolicyErrors(t *testing.T) {
	for lines, want := range map[string]string{
		"# one\n\n{\"user\": 1}":                      "abac.jsonl:3: json: cannot unmarshal number into Go struct field legacyPolicy.user of type string",
		"{}\nuser: {":                                 "abac.jsonl:2: yaml: line 1: did not find expected node content",
		versioned + `{"user": 1}}`:                    "abac.jsonl:1: json: cannot unmarshal number into Go struct field",
		`{"apiVersion":"v1","kind":"Pod"}`:            `abac.jsonl:1: no kind "Pod" is registered for version "v1" in scheme`,
		"{}\n" + strings.Repeat(" ", 70_000) + "\n{}": "abac.jsonl: bufio.Scanner: token too long",
	} {
		if _, err := abac(t, lines); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%.40q: %v, want %s", lines, err, want)
		}
	}
}
