package serve_test

import (
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"

	"github.com/admsim/admsim/internal/serve"
	"github.com/admsim/admsim/internal/store"
	"github.com/admsim/admsim/pkg/admission"
	"github.com/admsim/admsim/pkg/kubeversion"
	"github.com/admsim/admsim/pkg/simulator"
)

// A client that impersonates a user is that user, for authentication as well as for admission.
func TestImpersonation(t *testing.T) {
	s := newServer(t, store.Options{})
	a := s.do("POST", "/apis/authentication.k8s.io/v1/selfsubjectreviews", `{"apiVersion":"authentication.k8s.io/v1","kind":"SelfSubjectReview"}`,
		"Impersonate-User", "system:serviceaccount:shop:web", "Impersonate-Extra-Scopes", "read")
	if got, want := fmt.Sprint(a.field("status", "userInfo")), "map[extra:map[scopes:[read]] groups:[system:serviceaccounts system:serviceaccounts:shop system:authenticated] username:system:serviceaccount:shop:web]"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	want := `requested &user.DefaultInfo{Name:"", UID:"", Groups:[]string{"dev"}, Extra:map[string][]string(nil)} without impersonating a user name`
	if a := s.do("GET", maps, "", "Impersonate-Group", "dev"); a.code != 400 || a.field("message") != want {
		t.Errorf("groups without a user: %d %s, want %s", a.code, a.body, want)
	}
	old, err := kubeversion.Parse("1.35")
	if err != nil {
		t.Fatal(err)
	}
	s = newServerOf(t, simulator.Options{Release: old}, store.Options{})
	if a := s.do("GET", maps, "", "Impersonate-Group", "dev"); a.code != 500 {
		t.Errorf("groups without a user, in 1.35: %d %s", a.code, a.body)
	}
}

// Since 1.36, roles may allow to impersonate only some sorts of users, and only for some requests. Without the gate,
// only the verb impersonate counts.
func TestConstrainedImpersonation(t *testing.T) {
	const roles = "/apis/rbac.authorization.k8s.io/v1/"
	objects := []struct{ path, body string }{
		{roles + "clusterroles", `{"metadata":{"name":"c"},"rules":[
			{"apiGroups":["authentication.k8s.io"],"resources":["users"],"resourceNames":["bob"],"verbs":["impersonate:user-info"]},
			{"apiGroups":["authentication.k8s.io"],"resources":["groups"],"verbs":["impersonate:user-info"]},
			{"apiGroups":["authentication.k8s.io"],"resources":["nodes"],"verbs":["impersonate:arbitrary-node"]},
			{"apiGroups":[""],"resources":["configmaps"],"verbs":["impersonate-on:user-info:list","impersonate-on:arbitrary-node:list"]},
			{"nonResourceURLs":["/version"],"verbs":["impersonate-on:user-info:get"]}]}`},
		{roles + "clusterrolebindings", `{"metadata":{"name":"c"},"roleRef":{"apiGroup":"rbac.authorization.k8s.io","kind":"ClusterRole","name":"c"},"subjects":[{"kind":"User","name":"anna","apiGroup":"rbac.authorization.k8s.io"}]}`},
		{roles + "clusterroles", `{"metadata":{"name":"v"},"rules":[{"apiGroups":[""],"resources":["configmaps"],"verbs":["get","list"]}]}`},
		{roles + "clusterrolebindings", `{"metadata":{"name":"v"},"roleRef":{"apiGroup":"rbac.authorization.k8s.io","kind":"ClusterRole","name":"v"},"subjects":[{"kind":"Group","name":"system:authenticated","apiGroup":"rbac.authorization.k8s.io"}]}`},
	}
	for _, tt := range []struct {
		reason, version, path, user, group string
		message, constraint                string // no message: the request is allowed
	}{
		{"a user, for lists", "1.37", maps, "bob", "", "", "impersonate:user-info"},
		{"a user, for a path", "1.37", "/version", "bob", "", "", "impersonate:user-info"},
		{"a node", "1.37", maps, "system:node:n1", "", "", "impersonate:arbitrary-node"},
		{"a group, too", "1.37", maps, "bob", "dev", "", "impersonate:user-info"},
		{"another user", "1.37", maps, "carl", "", `users.authentication.k8s.io "carl" is forbidden: User "anna" cannot impersonate:user-info resource "users" in API group "authentication.k8s.io" at the cluster scope`, ""},
		{"another request", "1.37", maps + "/a", "bob", "", `configmaps "a" is forbidden: User "anna" cannot impersonate-on:user-info:get resource "configmaps" in API group "" in the namespace "default"`, ""},
		{"another path", "1.37", "/apis", "bob", "", `forbidden: User "anna" cannot impersonate-on:user-info:get path "/apis"`, ""},
		{"a service account is no such user", "1.37", maps, "system:serviceaccount:shop:bob", "", `configmaps is forbidden: User "anna" cannot impersonate-on:serviceaccount:list resource "configmaps" in API group "" in the namespace "default"`, ""},
		{"the group that may do everything", "1.37", maps, "bob", "system:masters", `groups.authentication.k8s.io "system:masters" is forbidden: User "anna" cannot impersonate:user-info resource "groups" in API group "authentication.k8s.io" at the cluster scope: impersonating the system:masters group is not allowed`, ""},
		{"the gate is off", "1.35", maps, "bob", "", `users "bob" is forbidden: User "anna" cannot impersonate resource "users" in API group "" at the cluster scope`, ""},
	} {
		release, err := kubeversion.Parse(tt.version)
		if err != nil {
			t.Fatal(err)
		}
		var constraint string
		s := newServerWith(t, simulator.Options{Release: release, State: simulator.Bootstrap(), Authorization: []string{"RBAC"}}, store.Options{}, serve.Options{
			Tokens: map[string]authenticationv1.UserInfo{
				"secret": admission.Administrator(), "anna": {Username: "anna", Groups: []string{"system:authenticated"}},
			},
			Answered: func(a *serve.Answered) { constraint = a.Constraint },
		})
		for _, o := range objects {
			if a := s.do("POST", o.path, o.body); a.code != 201 {
				t.Fatalf("%s: %s", o.path, a.body)
			}
		}
		headers := []string{"Authorization", "Bearer anna", "Impersonate-User", tt.user}
		if tt.group != "" {
			headers = append(headers, "Impersonate-Group", tt.group)
		}
		a := s.do("GET", tt.path, "", headers...)
		message, _ := a.field("message").(string)
		if message != tt.message || a.code == 200 != (tt.message == "") || constraint != tt.constraint {
			t.Errorf("%s: %d %s %s, want %q %s", tt.reason, a.code, message, constraint, tt.message, tt.constraint)
		}
	}
}

// The server first tries the mode in which a user last impersonated somebody. This shows in the audit log and in refusals.
func TestImpersonationIsRemembered(t *testing.T) {
	release, err := kubeversion.Parse("1.37")
	if err != nil {
		t.Fatal(err)
	}
	var constraint string
	s := newServerWith(t, simulator.Options{Release: release, State: simulator.Bootstrap(), Authorization: []string{"RBAC"}}, store.Options{}, serve.Options{
		Tokens: map[string]authenticationv1.UserInfo{
			"secret": admission.Administrator(), "anna": {Username: "anna", Groups: []string{"system:authenticated"}}, "root": {Username: "root", Groups: []string{"system:masters"}},
		},
		Answered: func(a *serve.Answered) { constraint = a.Constraint },
	})
	const roles = "/apis/rbac.authorization.k8s.io/v1/"
	s.do("POST", roles+"clusterroles", `{"metadata":{"name":"c"},"rules":[{"apiGroups":[""],"resources":["users"],"resourceNames":["carl"],"verbs":["impersonate"]}]}`)
	s.do("POST", roles+"clusterrolebindings", `{"metadata":{"name":"c"},"roleRef":{"apiGroup":"rbac.authorization.k8s.io","kind":"ClusterRole","name":"c"},"subjects":[{"kind":"User","name":"anna","apiGroup":"rbac.authorization.k8s.io"}]}`)
	const onBob = `configmaps is forbidden: User "anna" cannot impersonate-on:user-info:list resource "configmaps" in API group "" in the namespace "default"`
	for _, tt := range []struct{ reason, token, user, group, constraint, message string }{
		{"the most constrained mode is first", "root", "bob", "", "impersonate:user-info", ""},
		{"only the mode without constraints allows it", "root", "bob", "system:masters", "", ""},
		{"it is the first one now", "root", "bob", "", "", ""},
		{"also for others", "root", "system:serviceaccount:shop:bob", "", "", ""},
		{"of other users nothing is remembered", "secret", "bob", "", "impersonate:user-info", ""},
		{"a refusal of the most constrained mode", "anna", "bob", "", "", onBob},
		{"nobody else is refused", "anna", "carl", "", "", `configmaps is forbidden: User "carl" cannot list resource "configmaps" in API group "" in the namespace "default"`},
		{"a refusal of the mode that is first now", "anna", "bob", "", "", `users "bob" is forbidden: User "anna" cannot impersonate resource "users" in API group "" at the cluster scope`},
	} {
		headers := []string{"Authorization", "Bearer " + tt.token, "Impersonate-User", tt.user}
		if tt.group != "" {
			headers = append(headers, "Impersonate-Group", tt.group)
		}
		a := s.do("GET", maps, "", headers...)
		if message, _ := a.field("message").(string); constraint != tt.constraint || tt.token == "anna" && message != tt.message {
			t.Errorf("%s: %d %q %s, want %q %s", tt.reason, a.code, constraint, message, tt.constraint, tt.message)
		}
	}
}

// What was allowed under a constraint is allowed for ten seconds, whatever becomes of the roles: the request itself with
// all that belongs to it, and the user for other requests. This is what 1.37.2 answers.
func TestImpersonationsAreAllowedForSeconds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sim, err := simulator.New(simulator.Options{State: simulator.Bootstrap(), Authorization: []string{"RBAC"}})
		if err != nil {
			t.Fatal(err)
		}
		s, err := store.New(sim, store.Options{})
		if err != nil {
			t.Fatal(err)
		}
		handler := serve.New(s, serve.Options{Tokens: map[string]authenticationv1.UserInfo{
			"secret": admission.Administrator(), "anna": {Username: "anna", Groups: []string{"system:authenticated"}},
		}})
		do := func(token, method, path, body, as string) (code int, message string) {
			r := httptest.NewRequest(method, path, strings.NewReader(body))
			r.Header.Set("Authorization", "Bearer "+token)
			r.Header.Set("Content-Type", "application/json")
			if as != "" {
				r.Header.Set("Impersonate-User", as)
			}
			w := httptest.NewRecorder()
			handler.ServeHTTP(w, r)
			var status struct{ Message string }
			_ = json.Unmarshal(w.Body.Bytes(), &status)
			return w.Code, status.Message
		}
		const roles = "/apis/rbac.authorization.k8s.io/v1/"
		grant := func(role, subject, rules string) {
			do("secret", "POST", roles+"clusterroles", fmt.Sprintf(`{"metadata":{"name":%q},"rules":%s}`, role, rules), "")
			do("secret", "POST", roles+"clusterrolebindings", fmt.Sprintf(`{"metadata":{"name":%q},"roleRef":{"apiGroup":"rbac.authorization.k8s.io","kind":"ClusterRole","name":%[1]q},"subjects":[{"kind":"User","name":%q,"apiGroup":"rbac.authorization.k8s.io"}]}`, role, subject), "")
		}
		list := func(query string) string { _, message := do("anna", "GET", maps+query, "", "bob"); return message }
		const (
			refused    = `configmaps is forbidden: User "anna" cannot impersonate-on:user-info:list resource "configmaps" in API group "" in the namespace "default"`
			refusedBob = `users.authentication.k8s.io "bob" is forbidden: User "anna" cannot impersonate:user-info resource "users" in API group "authentication.k8s.io" at the cluster scope`
		)
		grant("bob", "bob", `[{"apiGroups":[""],"resources":["configmaps"],"verbs":["list"]}]`)
		grant("all", "anna", `[{"apiGroups":["authentication.k8s.io"],"resources":["users"],"verbs":["impersonate:user-info"]},{"apiGroups":[""],"resources":["configmaps"],"verbs":["impersonate-on:user-info:list"]}]`)
		check := func(query, want string) {
			t.Helper()
			if got := list(query); got != want {
				t.Errorf("the list %s: %q, want %q", query, got, want)
			}
		}
		check("", "")
		check("?labelSelector=a%3Db,c%3Dd", "")
		do("secret", "DELETE", roles+"clusterrolebindings/all", "", "")
		check("", "")
		check("?limit=5", "")
		check("?labelSelector=c%3Dd,a%3Db", "")
		check("?labelSelector=a", refused)
		grant("list", "anna", `[{"apiGroups":[""],"resources":["configmaps"],"verbs":["impersonate-on:user-info:list"]}]`)
		check("?labelSelector=a", "") // bob is still allowed for other requests
		time.Sleep(11 * time.Second)
		check("", refusedBob)
	})
}

// Each part of a user has to be allowed, in the order of the release. Some are never allowed under a constraint.
func TestPartsOfImpersonatedUsers(t *testing.T) {
	const cannot = `is forbidden: User "anna" cannot `
	for _, tt := range []struct {
		reason, version string
		headers         []string
		message         string
	}{
		{"the UID comes last", "1.35", []string{"Impersonate-Uid", "u", "Impersonate-Group", "dev"}, `groups "dev" ` + cannot + `impersonate resource "groups" in API group "" at the cluster scope`},
		{"the UID", "1.35", []string{"Impersonate-Uid", "u"}, `uids.authentication.k8s.io "u" ` + cannot + `impersonate resource "uids" in API group "authentication.k8s.io" at the cluster scope`},
		{"the UID comes before the groups", "1.37", []string{"Impersonate-Uid", "u", "Impersonate-Group", "dev"}, `uids.authentication.k8s.io "u" ` + cannot + `impersonate:user-info resource "uids" in API group "authentication.k8s.io" at the cluster scope`},
		{"an empty group", "1.37", []string{"Impersonate-Group", ""}, `groups.authentication.k8s.io ` + cannot + `impersonate:user-info resource "groups" in API group "authentication.k8s.io" at the cluster scope: impersonating the empty string group is not allowed`},
		{"an empty value", "1.37", []string{"Impersonate-Extra-example.com%2fa", ""}, `userextras.authentication.k8s.io ` + cannot + `impersonate:user-info resource "userextras" in API group "authentication.k8s.io" at the cluster scope: impersonating the empty string value in extra is not allowed`},
		{"a key without a domain", "1.37", []string{"Impersonate-Extra-a", "b"}, `userextras.authentication.k8s.io ` + cannot + `impersonate:user-info resource "userextras" in API group "authentication.k8s.io" at the cluster scope: impersonating an invalid key in extra is not allowed: extra.key: Invalid value: "a": must be a domain-prefixed path (such as "acme.io/foo")`},
	} {
		release, err := kubeversion.Parse(tt.version)
		if err != nil {
			t.Fatal(err)
		}
		s := newServerWith(t, simulator.Options{Release: release, State: simulator.Bootstrap(), Authorization: []string{"RBAC"}}, store.Options{}, serve.Options{
			Tokens: map[string]authenticationv1.UserInfo{"secret": admission.Administrator(), "anna": {Username: "anna", Groups: []string{"system:authenticated"}}},
		})
		const roles = "/apis/rbac.authorization.k8s.io/v1/"
		s.do("POST", roles+"clusterroles", `{"metadata":{"name":"c"},"rules":[
			{"apiGroups":["","authentication.k8s.io"],"resources":["users"],"verbs":["impersonate:user-info","impersonate"]},
			{"apiGroups":[""],"resources":["configmaps"],"verbs":["impersonate-on:user-info:list"]}]}`)
		s.do("POST", roles+"clusterrolebindings", `{"metadata":{"name":"c"},"roleRef":{"apiGroup":"rbac.authorization.k8s.io","kind":"ClusterRole","name":"c"},"subjects":[{"kind":"User","name":"anna","apiGroup":"rbac.authorization.k8s.io"}]}`)
		a := s.do("GET", maps, "", append([]string{"Authorization", "Bearer anna", "Impersonate-User", "bob"}, tt.headers...)...)
		if message := a.field("message"); a.code != 403 || message != tt.message {
			t.Errorf("%s: %d %v, want %s", tt.reason, a.code, message, tt.message)
		}
	}
}
