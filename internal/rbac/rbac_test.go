package rbac_test

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/authorization/authorizer"

	"github.com/admsim/admsim/internal/rbac"
	"github.com/admsim/admsim/pkg/cluster"
)

var group = rbacv1.SchemeGroupVersion

func clusterRole(name string, rules ...rbacv1.PolicyRule) runtime.Object {
	r := &rbacv1.ClusterRole{ObjectMeta: metav1.ObjectMeta{Name: name}, Rules: rules}
	r.SetGroupVersionKind(group.WithKind("ClusterRole"))
	return r
}

func role(namespace, name string, rules ...rbacv1.PolicyRule) runtime.Object {
	r := &rbacv1.Role{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}, Rules: rules}
	r.SetGroupVersionKind(group.WithKind("Role"))
	return r
}

func everywhere(name, role string, to ...rbacv1.Subject) runtime.Object {
	b := &rbacv1.ClusterRoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Subjects:   to,
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: role},
	}
	b.SetGroupVersionKind(group.WithKind("ClusterRoleBinding"))
	return b
}

func within(namespace, name, kind, role string, to ...rbacv1.Subject) runtime.Object {
	b := &rbacv1.RoleBinding{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name},
		Subjects:   to,
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: kind, Name: role},
	}
	b.SetGroupVersionKind(group.WithKind("RoleBinding"))
	return b
}

func subject(kind, name string) rbacv1.Subject { return rbacv1.Subject{Kind: kind, Name: name} }

func serviceAccount(namespace, name string) rbacv1.Subject {
	return rbacv1.Subject{Kind: "ServiceAccount", Namespace: namespace, Name: name}
}

func rule(verb, group, resource string, names ...string) rbacv1.PolicyRule {
	return rbacv1.PolicyRule{Verbs: []string{verb}, APIGroups: []string{group}, Resources: []string{resource}, ResourceNames: names}
}

func state(objects ...runtime.Object) *cluster.State {
	s := cluster.New()
	for _, o := range objects {
		s = s.With(cluster.Object{Object: o})
	}
	return s
}

// ask returns a question by user ann about a resource in namespace shop.
func ask(verb, group, resource string) authorizer.AttributesRecord {
	return authorizer.AttributesRecord{
		User:            &user.DefaultInfo{Name: "ann", Groups: []string{"cooks", "system:authenticated"}},
		Verb:            verb,
		Namespace:       "shop",
		APIGroup:        group,
		Resource:        resource,
		ResourceRequest: true,
	}
}

func TestRules(t *testing.T) {
	named := func(a authorizer.AttributesRecord, name string) authorizer.AttributesRecord {
		a.Name = name
		return a
	}
	sub := func(a authorizer.AttributesRecord, subresource string) authorizer.AttributesRecord {
		a.Subresource = subresource
		return a
	}
	path := func(verb, path string) authorizer.AttributesRecord {
		return authorizer.AttributesRecord{User: &user.DefaultInfo{Name: "ann"}, Verb: verb, Path: path}
	}
	url := func(u string) rbacv1.PolicyRule {
		return rbacv1.PolicyRule{Verbs: []string{"get"}, NonResourceURLs: []string{u}}
	}
	for _, tt := range []struct {
		reason string
		rule   rbacv1.PolicyRule
		asked  authorizer.AttributesRecord
		want   bool
	}{
		{"everything equal", rule("get", "", "pods"), ask("get", "", "pods"), true},
		{"another verb", rule("get", "", "pods"), ask("list", "", "pods"), false},
		{"any verb", rule("*", "", "pods"), ask("list", "", "pods"), true},
		{"another group", rule("get", "apps", "pods"), ask("get", "", "pods"), false},
		{"any group", rule("get", "*", "pods"), ask("get", "apps", "pods"), true},
		{"any resource", rule("get", "", "*"), ask("get", "", "pods"), true},
		{"any resource is any subresource too", rule("get", "", "*"), sub(ask("get", "", "pods"), "log"), true},
		{"a resource is not its subresources", rule("get", "", "pods"), sub(ask("get", "", "pods"), "log"), false},
		{"a subresource", rule("get", "", "pods/log"), sub(ask("get", "", "pods"), "log"), true},
		{"a subresource is not its resource", rule("get", "", "pods/log"), ask("get", "", "pods"), false},
		{"a subresource of any resource", rule("get", "", "*/log"), sub(ask("get", "", "pods"), "log"), true},
		{"another subresource of any resource", rule("get", "", "*/log"), sub(ask("get", "", "pods"), "exec"), false},
		{"any subresource of a resource is not a form", rule("get", "", "pods/*"), sub(ask("get", "", "pods"), "log"), false},
		{"a name", rule("get", "", "pods", "a"), named(ask("get", "", "pods"), "a"), true},
		{"another name", rule("get", "", "pods", "a"), named(ask("get", "", "pods"), "b"), false},
		{"no name, as on create", rule("create", "", "pods", "a"), ask("create", "", "pods"), false},
		{"a * in names is a name", rule("get", "", "pods", "*"), named(ask("get", "", "pods"), "b"), false},

		// Questions that contain a literal *: AZ-01.
		{"asked for group *", rule("update", "apps", "*"), sub(ask("update", "*", "*"), "finalizers"), false},
		{"asked for group *, granted", rule("update", "*", "*"), sub(ask("update", "*", "*"), "finalizers"), true},
		{"asked for */finalizers", rule("update", "*", "*/finalizers"), sub(ask("update", "*", "*"), "finalizers"), true},
		{"asked for */finalizers, granted for one", rule("update", "*", "pods/finalizers"), sub(ask("update", "*", "*"), "finalizers"), false},
		{"asked for name *", rule("update", "*", "*", "a"), named(ask("update", "*", "pods"), "*"), false},
		{"asked for name *, granted literally", rule("update", "*", "*", "*"), named(ask("update", "*", "pods"), "*"), true},

		{"a URL", url("/healthz"), path("get", "/healthz"), true},
		{"a URL below", url("/healthz"), path("get", "/healthz/etcd"), false},
		{"URLs by prefix", url("/healthz/*"), path("get", "/healthz/etcd"), true},
		{"URLs by prefix do not cover the parent", url("/healthz/*"), path("get", "/healthz"), false},
		{"any URL", url("*"), path("get", "/metrics"), true},
		{"a URL, another verb", url("*"), path("post", "/metrics"), false},
		{"a rule for resources does not cover URLs", rule("*", "*", "*"), path("get", "/metrics"), false},
		{"a rule for URLs does not cover resources", url("*"), ask("get", "", "pods"), false},
	} {
		t.Run(tt.reason, func(t *testing.T) {
			a := rbac.New(state(clusterRole("r", tt.rule), everywhere("b", "r", subject("User", "ann"))))
			got, _, err := a.Authorize(t.Context(), tt.asked)
			if err != nil {
				t.Fatal(err)
			}
			want := authorizer.DecisionNoOpinion
			if tt.want {
				want = authorizer.DecisionAllow
			}
			if got != want {
				t.Errorf("Authorize(%+v) with rule %v = %v, want %v", tt.asked, tt.rule, got, want)
			}
		})
	}
}

func TestSubjects(t *testing.T) {
	all := rule("*", "*", "*")
	robot := &user.DefaultInfo{
		Name:   "system:serviceaccount:shop:robot",
		Groups: []string{"system:serviceaccounts", "system:serviceaccounts:shop", "system:authenticated"},
	}
	for _, tt := range []struct {
		reason  string
		objects []runtime.Object
		user    user.Info // nil: ann
		want    string    // empty if not allowed
	}{
		{
			reason:  "a user",
			objects: []runtime.Object{everywhere("b", "r", subject("User", "ann"))},
			want:    `RBAC: allowed by ClusterRoleBinding "b" of ClusterRole "r" to User "ann"`,
		},
		{
			reason:  "a group",
			objects: []runtime.Object{everywhere("b", "r", subject("Group", "cooks"))},
			want:    `RBAC: allowed by ClusterRoleBinding "b" of ClusterRole "r" to Group "cooks"`,
		},
		{
			reason:  "a user is not a group of that name",
			objects: []runtime.Object{everywhere("b", "r", subject("User", "cooks"), subject("Group", "ann"))},
		},
		{
			reason:  "everybody",
			objects: []runtime.Object{everywhere("b", "r", subject("Group", "system:authenticated"))},
			want:    `RBAC: allowed by ClusterRoleBinding "b" of ClusterRole "r" to Group "system:authenticated"`,
		},
		{
			reason:  "the first of the subjects that the user is",
			objects: []runtime.Object{everywhere("b", "r", subject("User", "bob"), subject("Group", "cooks"), subject("User", "ann"))},
			want:    `RBAC: allowed by ClusterRoleBinding "b" of ClusterRole "r" to Group "cooks"`,
		},
		{
			reason:  "a service account",
			objects: []runtime.Object{everywhere("b", "r", serviceAccount("shop", "robot"))},
			user:    robot,
			want:    `RBAC: allowed by ClusterRoleBinding "b" of ClusterRole "r" to ServiceAccount "robot/shop"`,
		},
		{
			reason:  "a service account of another namespace",
			objects: []runtime.Object{everywhere("b", "r", serviceAccount("kitchen", "robot"))},
			user:    robot,
		},
		{
			reason:  "a service account without a namespace is in that of the binding",
			objects: []runtime.Object{within("shop", "b", "ClusterRole", "r", subject("ServiceAccount", "robot"))},
			user:    robot,
			want:    `RBAC: allowed by RoleBinding "b/shop" of ClusterRole "r" to ServiceAccount "robot/shop"`,
		},
		{
			reason:  "a service account without a namespace, in a ClusterRoleBinding, matches nobody",
			objects: []runtime.Object{everywhere("b", "r", subject("ServiceAccount", "robot"))},
			user:    robot,
		},
		{
			reason:  "the service accounts of a namespace",
			objects: []runtime.Object{everywhere("b", "r", subject("Group", "system:serviceaccounts:shop"))},
			user:    robot,
			want:    `RBAC: allowed by ClusterRoleBinding "b" of ClusterRole "r" to Group "system:serviceaccounts:shop"`,
		},
		{
			reason:  "all service accounts",
			objects: []runtime.Object{everywhere("b", "r", subject("Group", "system:serviceaccounts"))},
			user:    robot,
			want:    `RBAC: allowed by ClusterRoleBinding "b" of ClusterRole "r" to Group "system:serviceaccounts"`,
		},
		{
			reason:  "a role of the namespace",
			objects: []runtime.Object{role("shop", "local", all), within("shop", "b", "Role", "local", subject("User", "ann"))},
			want:    `RBAC: allowed by RoleBinding "b/shop" of Role "local" to User "ann"`,
		},
		{
			reason:  "a binding of another namespace",
			objects: []runtime.Object{within("kitchen", "b", "ClusterRole", "r", subject("User", "ann"))},
		},
		{
			reason: "cluster-wide bindings are checked first",
			objects: []runtime.Object{
				within("shop", "a", "ClusterRole", "r", subject("User", "ann")),
				everywhere("z", "r", subject("User", "ann")),
			},
			want: `RBAC: allowed by ClusterRoleBinding "z" of ClusterRole "r" to User "ann"`,
		},
	} {
		t.Run(tt.reason, func(t *testing.T) {
			a := rbac.New(state(append(tt.objects, clusterRole("r", all))...))
			asked := ask("get", "", "pods")
			if tt.user != nil {
				asked.User = tt.user
			}
			decision, got, err := a.Authorize(t.Context(), asked)
			if err != nil {
				t.Fatal(err)
			}
			if got != tt.want || (decision == authorizer.DecisionAllow) != (tt.want != "") {
				t.Errorf("Authorize() = %v, %q, want %q", decision, got, tt.want)
			}
		})
	}
}

func TestMissingRoles(t *testing.T) {
	gone := everywhere("gone", "gone", subject("User", "ann"))
	other := within("shop", "local", "Role", "local", subject("User", "ann"))
	strange := within("shop", "strange", "Sudoers", "x", subject("User", "ann"))

	for _, tt := range []struct {
		reason  string
		objects []runtime.Object
		want    string
	}{
		{"one", []runtime.Object{gone}, `RBAC: clusterrole.rbac.authorization.k8s.io "gone" not found`},
		{"a kind that is no role", []runtime.Object{strange}, `RBAC: unsupported role reference kind: "Sudoers"`},
		{
			"several", []runtime.Object{gone, other},
			`RBAC: [clusterrole.rbac.authorization.k8s.io "gone" not found, role.rbac.authorization.k8s.io "local" not found]`,
		},
		{
			"allowed all the same",
			[]runtime.Object{gone, clusterRole("r", rule("*", "*", "*")), everywhere("later", "r", subject("User", "ann"))},
			`RBAC: allowed by ClusterRoleBinding "later" of ClusterRole "r" to User "ann"`,
		},
	} {
		t.Run(tt.reason, func(t *testing.T) {
			_, got, err := rbac.New(state(tt.objects...)).Authorize(t.Context(), ask("get", "", "pods"))
			if err != nil || got != tt.want {
				t.Errorf("Authorize() = %q, %v, want %q", got, err, tt.want)
			}
		})
	}
}

func TestMastersMayDoAll(t *testing.T) {
	asked := ask("get", "", "pods")
	asked.User = &user.DefaultInfo{Name: "admin", Groups: []string{"system:masters"}}
	decision, reason, err := rbac.New(state()).Authorize(t.Context(), asked)
	if decision != authorizer.DecisionAllow || reason != "" || err != nil {
		t.Errorf("Authorize(system:masters) = %v, %q, %v, want allowed without a reason", decision, reason, err)
	}
}

func TestConcurrentFirstQuestions(t *testing.T) {
	a := rbac.New(state(clusterRole("r", rule("*", "*", "*")), everywhere("b", "r", subject("User", "ann"))))
	var all sync.WaitGroup
	for range 16 {
		all.Go(func() {
			if d, _, _ := a.Authorize(context.Background(), ask("get", "", "pods")); d != authorizer.DecisionAllow {
				t.Error("Authorize() did not allow")
			}
		})
	}
	all.Wait()
}

func BenchmarkAuthorize(b *testing.B) {
	for _, n := range []int{10, 10000} {
		b.Run(fmt.Sprintf("bindings=%d", n), func(b *testing.B) {
			objects := []runtime.Object{clusterRole("r", rule("*", "*", "*"))}
			for i := range n {
				objects = append(objects, everywhere(fmt.Sprintf("b%d", i), "r", subject("User", fmt.Sprintf("u%d", i))))
			}
			objects = append(objects, everywhere("ann", "r", subject("User", "ann")))
			a := rbac.New(state(objects...))
			for b.Loop() {
				a.Authorize(b.Context(), ask("get", "", "pods"))
			}
		})
	}
}

// The rules of a user are those of the whole cluster and of one namespace. A missing role does not affect the others.
func TestRulesFor(t *testing.T) {
	health := rbacv1.PolicyRule{Verbs: []string{"get"}, NonResourceURLs: []string{"/healthz"}}
	roles := rbac.New(state(
		clusterRole("reader", rule("get", "", "pods"), health),
		role("shop", "writer", rule("update", "apps", "deployments", "web")),
		role("bank", "writer", rule("update", "", "secrets")),
		everywhere("all", "reader", subject("Group", "cooks")),
		within("shop", "gone", "Role", "gone", subject("User", "ann")),
		within("shop", "writes", "Role", "writer", subject("User", "ann")),
		within("bank", "writes", "Role", "writer", subject("User", "ann")),
		within("shop", "others", "ClusterRole", "reader", subject("User", "bob")),
	))
	ann := &user.DefaultInfo{Name: "ann", Groups: []string{"cooks"}}
	resources, others, incomplete, err := roles.RulesFor(t.Context(), ann, "shop")
	wantResources := []authorizer.ResourceRuleInfo{
		&authorizer.DefaultResourceRuleInfo{Verbs: []string{"get"}, APIGroups: []string{""}, Resources: []string{"pods"}},
		&authorizer.DefaultResourceRuleInfo{Verbs: []string{"update"}, APIGroups: []string{"apps"}, Resources: []string{"deployments"}, ResourceNames: []string{"web"}},
	}
	wantOthers := []authorizer.NonResourceRuleInfo{&authorizer.DefaultNonResourceRuleInfo{Verbs: []string{"get"}, NonResourceURLs: []string{"/healthz"}}}
	if diff := cmp.Diff(wantResources, resources); diff != "" {
		t.Errorf("resources (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(wantOthers, others); diff != "" {
		t.Errorf("paths (-want +got):\n%s", diff)
	}
	if want := `role.rbac.authorization.k8s.io "gone" not found`; incomplete || err == nil || err.Error() != want {
		t.Errorf("incomplete %v, error %v, want %s", incomplete, err, want)
	}
}
