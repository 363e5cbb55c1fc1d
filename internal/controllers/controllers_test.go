package controllers_test

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apiextensions-apiserver/pkg/apihelpers"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/internal/builtin"
	"github.com/admsim/admsim/internal/controllers"
	"github.com/admsim/admsim/internal/store"
	"github.com/admsim/admsim/pkg/admission"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/kubeversion"
	"github.com/admsim/admsim/pkg/rest"
	"github.com/admsim/admsim/pkg/simulator"
)

// A living is a cluster with running controllers.
type liveCluster struct {
	*testing.T
	*store.Store
}

func start(t *testing.T, which ...string) liveCluster {
	t.Helper()
	return startWith(t, simulator.Options{State: simulator.AssumeControllers(simulator.Bootstrap())}, which...)
}

func startWith(t *testing.T, o simulator.Options, which ...string) liveCluster {
	t.Helper()
	sim, err := simulator.New(o)
	if err != nil {
		t.Fatal(err)
	}
	s, err := store.New(sim, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	c, err := controllers.Start(ctx, s, controllers.Options{Which: which, Failed: func(err error) { t.Error(err) }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cancel(); c.Wait() })
	return liveCluster{t, s}
}

func (l liveCluster) do(verb, path, body string) runtime.Object {
	l.Helper()
	gv, behind, _ := strings.Cut(path, " ")
	words := append(strings.Split(behind, "/"), "")
	req := rest.Request{Verb: verb, Resource: schema.GroupVersionResource{Version: "v1"}, Body: []byte(body), PatchType: rest.MergePatch, User: admission.Administrator()}
	if group, version, ok := strings.Cut(gv, "/"); ok {
		req.Resource.Group, req.Resource.Version = group, version
	}
	if req.Namespace = words[0]; words[0] == "-" {
		req.Namespace = ""
	}
	req.Resource.Resource, req.Name = words[1], words[2]
	result, err := l.Do(context.Background(), req)
	if err != nil {
		l.Fatal(err)
	}
	if result.Code >= 400 {
		l.Fatalf("%s %s: %s", verb, path, result.Status().Message)
	}
	return result.Object
}

// soon waits until the controllers have made is true.
func (l liveCluster) soon(what string, is func(*cluster.State) bool) {
	l.Helper()
	for end := time.Now().Add(20 * time.Second); time.Now().Before(end); time.Sleep(time.Millisecond) {
		if is(l.Latest().State()) {
			return
		}
	}
	l.Errorf("timed out before this: %s", what)
}

func has(kind, namespace, name string) func(*cluster.State) bool {
	return func(s *cluster.State) bool {
		_, ok := s.Find(cluster.Key{GroupKind: schema.ParseGroupKind(kind), Namespace: namespace, Name: name})
		return ok
	}
}

func no(is func(*cluster.State) bool) func(*cluster.State) bool {
	return func(s *cluster.State) bool { return !is(s) }
}

// A new namespace gets a service account and a CA certificate. It is removed together with everything in it.
func TestNamespace(t *testing.T) {
	l := start(t)
	l.do(rest.Create, "v1 -/namespaces", `{"metadata":{"name":"shop"}}`)
	l.soon("an account", has("ServiceAccount", "shop", "default"))
	l.soon("a certificate", has("ConfigMap", "shop", simulator.RootCA))
	certificate := l.do(rest.Get, "v1 shop/configmaps/"+simulator.RootCA, "").(*corev1.ConfigMap)
	if fields := certificate.ManagedFields; len(fields) != 1 || fields[0].Manager != "kube-controller-manager" {
		t.Errorf("the fields of the certificate are managed by %+v, want kube-controller-manager", fields)
	}
	l.do(rest.Delete, "v1 shop/serviceaccounts/default", "")
	l.soon("the account again", has("ServiceAccount", "shop", "default"))
	l.do(rest.Create, "v1 shop/pods", `{"metadata":{"name":"p"},"spec":{"nodeName":"n","containers":[{"name":"c","image":"i"}]}}`)
	l.do(rest.Create, "v1 shop/configmaps", `{"metadata":{"name":"held","finalizers":["a.b/c"]}}`)
	l.do(rest.Delete, "v1 -/namespaces/shop", "")
	l.soon("the pod is deleted", no(has("Pod", "shop", "p")))
	if !has("Namespace", "", "shop")(l.Latest().State()) {
		t.Error("the namespace is gone while a finalizer holds an object in it")
	}
	l.do(rest.Patch, "v1 shop/configmaps/held", `{"metadata":{"finalizers":null}}`)
	l.soon("the namespace is deleted", no(has("Namespace", "", "shop")))
}

// An object is deleted with its last owner, and foreground deletion waits for it.
func TestOwners(t *testing.T) {
	l := start(t)
	owned := func(name string, block bool, owners ...runtime.Object) {
		var refs []string
		for _, o := range owners {
			m, _ := meta.Accessor(o)
			refs = append(refs, fmt.Sprintf(`{"apiVersion":"v1","kind":"ConfigMap","name":%q,"uid":%q,"blockOwnerDeletion":%v}`, m.GetName(), m.GetUID(), block))
		}
		l.do(rest.Create, "v1 default/configmaps", fmt.Sprintf(`{"metadata":{"name":%q,"ownerReferences":[%s]}}`, name, strings.Join(refs, ",")))
	}
	a := l.do(rest.Create, "v1 default/configmaps", `{"metadata":{"name":"a"}}`)
	b := l.do(rest.Create, "v1 default/configmaps", `{"metadata":{"name":"b"}}`)
	owned("of-a", false, a)
	owned("of-both", false, a, b)
	l.do(rest.Delete, "v1 default/configmaps/a", "")
	l.soon("the dependent of a is deleted", no(has("ConfigMap", "default", "of-a")))
	l.soon("the shared dependent loses an owner", func(s *cluster.State) bool {
		o, ok := cluster.Get[*corev1.ConfigMap](s, schema.GroupKind{Kind: "ConfigMap"}, "default", "of-both")
		return ok && len(o.OwnerReferences) == 1
	})
	l.do(rest.Patch, "v1 default/configmaps/of-both", `{"metadata":{"ownerReferences":null}}`)
	owned("blocks", true, b)
	l.do(rest.Patch, "v1 default/configmaps/blocks", `{"metadata":{"finalizers":["a.b/c"]}}`)
	l.do(rest.Delete, "v1 default/configmaps/b", `{"propagationPolicy":"Foreground"}`)
	l.soon("the dependent of b is deleted", func(s *cluster.State) bool {
		o, ok := cluster.Get[*corev1.ConfigMap](s, schema.GroupKind{Kind: "ConfigMap"}, "default", "blocks")
		return ok && o.DeletionTimestamp != nil
	})
	if !has("ConfigMap", "default", "b")(l.Latest().State()) {
		t.Error("b is gone before its dependents")
	}
	l.do(rest.Patch, "v1 default/configmaps/blocks", `{"metadata":{"finalizers":null}}`)
	l.soon("b is deleted", no(has("ConfigMap", "default", "b")))

	c := l.do(rest.Create, "v1 default/configmaps", `{"metadata":{"name":"c"}}`)
	owned("of-c", false, c)
	l.do(rest.Delete, "v1 default/configmaps/c", `{"propagationPolicy":"Orphan"}`)
	l.soon("c is deleted", no(has("ConfigMap", "default", "c")))
	if !has("ConfigMap", "default", "of-c")(l.Latest().State()) {
		t.Error("an orphan was deleted")
	}
}

// A definition is established, and a quota is recalculated.
func TestStatus(t *testing.T) {
	l := start(t)
	l.do(rest.Create, "apiextensions.k8s.io/v1 -/customresourcedefinitions", `{"metadata":{"name":"widgets.shop.example"},"spec":{"group":"shop.example","scope":"Cluster",
		"names":{"plural":"widgets","singular":"widget","kind":"Widget","listKind":"WidgetList"},"versions":[{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object"}}}]}}`)
	l.soon("the definition is established", func(s *cluster.State) bool {
		crd, ok := cluster.Get[*apiextensionsv1.CustomResourceDefinition](s, apiextensionsv1.Kind("CustomResourceDefinition"), "", "widgets.shop.example")
		return ok && len(crd.Status.Conditions) == 2 && crd.Status.AcceptedNames.Kind == "Widget"
	})
	used := func(n int64) func(*cluster.State) bool {
		return func(s *cluster.State) bool {
			q, ok := cluster.Get[*corev1.ResourceQuota](s, schema.GroupKind{Kind: "ResourceQuota"}, "default", "q")
			u := q.Status.Used["secrets"]
			return ok && len(q.Status.Used) == 1 && u.Value() == n
		}
	}
	l.do(rest.Create, "v1 default/resourcequotas", `{"metadata":{"name":"q"},"spec":{"hard":{"secrets":"5"}}}`)
	l.soon("nothing is used", used(0))
	l.do(rest.Create, "v1 default/secrets", `{"metadata":{"name":"s"}}`)
	l.soon("one is used", used(1))
	l.do(rest.Delete, "v1 default/secrets/s", "")
	l.soon("nothing is used again", used(0))
}

// A server waits a minute for the custom resources of a deleted definition, says that it cannot confirm that they are gone,
// and begins again. Times and words are those of a kube-apiserver 1.37.2.
func TestDefinitionWaitsForFinalizers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := start(t)
		const definitions = "apiextensions.k8s.io/v1 -/customresourcedefinitions"
		l.do(rest.Create, definitions, `{"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": {"name": "things.example.com"}, "spec": {"group": "example.com", "scope": "Namespaced",
			"names": {"plural": "things", "kind": "Thing"}, "versions": [{"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": {"type": "object"}}}]}}`)
		synctest.Wait()
		l.do(rest.Create, "example.com/v1 default/things", `{"apiVersion": "example.com/v1", "kind": "Thing", "metadata": {"name": "a", "finalizers": ["example.com/held"]}}`)
		begun := l.Latest().State().Writes()
		l.do(rest.Delete, definitions+"/things.example.com", "")
		said := func() (all []string) {
			events, _, _, err := l.Since(begun)
			if err != nil {
				t.Fatal(err)
			}
			for _, e := range events {
				if crd, ok := e.After.Object.(*apiextensionsv1.CustomResourceDefinition); ok {
					for _, c := range crd.Status.Conditions {
						if c.Type == apiextensionsv1.Terminating {
							all = append(all, c.Reason+": "+c.Message)
						}
					}
				}
			}
			return all
		}
		const inProgress, check = "InstanceDeletionInProgress: CustomResource deletion is in progress", "InstanceDeletionCheck: could not confirm zero CustomResources remaining: context deadline exceeded"
		time.Sleep(59 * time.Second)
		synctest.Wait()
		before := said()
		if len(before) == 0 || before[len(before)-1] != inProgress {
			t.Errorf("in the first minute: %q", before)
		}
		time.Sleep(2 * time.Second)
		synctest.Wait()
		want := append(slices.Clone(before), check, inProgress)
		if got := said(); !slices.Equal(got, want) {
			t.Errorf("after a minute: %q, want %q", got, want)
		}
		time.Sleep(time.Minute)
		synctest.Wait()
		want = append(want, check, inProgress)
		if got := said(); !slices.Equal(got, want) {
			t.Errorf("after two minutes: %q, want %q", got, want)
		}
		exists := func() bool {
			_, ok := l.Latest().State().Find(cluster.Key{GroupKind: apiextensionsv1.Kind("CustomResourceDefinition"), Name: "things.example.com"})
			return ok
		}
		time.Sleep(time.Second)
		l.do(rest.Patch, "example.com/v1 default/things/a", `{"metadata": {"finalizers": null}}`)
		time.Sleep(2 * time.Second)
		synctest.Wait()
		if !exists() {
			t.Error("the definition is gone with its last custom resource, before the server looks again")
		}
		time.Sleep(3 * time.Second)
		synctest.Wait()
		if exists() {
			t.Errorf("the definition is still there: %q", said())
		}
	})
}

// An update of a definition is followed by its status: the names that it has now, and whether the
// Kubernetes project approved a definition in one of its groups.
func TestStatusOfDefinitions(t *testing.T) {
	l := start(t)
	const crds = "apiextensions.k8s.io/v1 -/customresourcedefinitions"
	status := func(name string, want func(apiextensionsv1.CustomResourceDefinitionStatus) bool) func(*cluster.State) bool {
		return func(s *cluster.State) bool {
			crd, ok := cluster.Get[*apiextensionsv1.CustomResourceDefinition](s, apiextensionsv1.Kind("CustomResourceDefinition"), "", name)
			return ok && want(crd.Status)
		}
	}
	says := func(conditions ...string) func(apiextensionsv1.CustomResourceDefinitionStatus) bool {
		return func(status apiextensionsv1.CustomResourceDefinitionStatus) bool {
			var got []string
			for _, c := range status.Conditions {
				got = append(got, fmt.Sprintf("%s %s %s %s", c.Type, c.Status, c.Reason, c.Message))
			}
			return slices.Equal(got, conditions)
		}
	}
	definition := func(group, annotations string) string {
		return fmt.Sprintf(`{"metadata":{"name":"widgets.%s","annotations":{%s}},"spec":{"group":%q,"scope":"Cluster","names":{"plural":"widgets","kind":"Widget"},
			"versions":[{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object"}}}]}}`, group, annotations, group)
	}
	accepted := "NamesAccepted True NoConflicts no conflicts found"
	established := "Established True InitialNamesAccepted the initial names have been accepted"

	l.do(rest.Create, crds, definition("shop.example", ""))
	l.soon("it needs no approval", status("widgets.shop.example", says(accepted, established)))
	crd, _ := cluster.Get[*apiextensionsv1.CustomResourceDefinition](l.Latest().State(), apiextensionsv1.Kind("CustomResourceDefinition"), "", "widgets.shop.example")
	if !slices.ContainsFunc(crd.ManagedFields, func(f metav1.ManagedFieldsEntry) bool {
		return f.Manager == "kube-apiserver" && f.Subresource == "status"
	}) {
		t.Errorf("the status is not the server's: %v", crd.ManagedFields)
	}
	l.do(rest.Patch, crds+"/widgets.shop.example", `{"spec":{"names":{"shortNames":["wd"]}}}`)
	l.soon("the short name is accepted", status("widgets.shop.example", func(s apiextensionsv1.CustomResourceDefinitionStatus) bool {
		return slices.Equal(s.AcceptedNames.ShortNames, []string{"wd"})
	}))

	l.do(rest.Create, crds, definition("shop.k8s.io", `"api-approved.kubernetes.io":"https://example.com/1"`))
	l.soon("it is approved", status("widgets.shop.k8s.io", says(accepted, established,
		"KubernetesAPIApprovalPolicyConformant True ApprovedAnnotation approved in https://example.com/1")))
	l.do(rest.Patch, crds+"/widgets.shop.k8s.io", `{"metadata":{"annotations":{"api-approved.kubernetes.io":"unapproved, test"}}}`)
	l.soon("it is not approved any more", status("widgets.shop.k8s.io", says(accepted, established,
		`KubernetesAPIApprovalPolicyConformant False UnapprovedAnnotation not approved: "unapproved, test"`)))
}

// An APIService without a service is available; one with a service is not, for the first reason that is found.
func TestAPIServices(t *testing.T) {
	l := start(t)
	const services, slicesOf = "v1 shop/services", "discovery.k8s.io/v1 shop/endpointslices"
	const apiServices = "apiregistration.k8s.io/v1 -/apiservices"
	says := func(name, want string) {
		t.Helper()
		var got string
		l.soon(name+": "+want, func(s *cluster.State) bool {
			o, _ := cluster.Get[*builtin.APIService](s, schema.GroupKind{Group: "apiregistration.k8s.io", Kind: "APIService"}, "", name)
			if got = ""; o != nil && len(o.Status.Conditions) == 1 {
				c := o.Status.Conditions[0]
				got = fmt.Sprintf("%s %s %s %s", c.Type, c.Status, c.Reason, c.Message)
			}
			return got == want
		})
		if got != want {
			t.Errorf("%s: the condition is %q, want %q", name, got, want)
		}
	}
	apiService := func(group, service string) string {
		return fmt.Sprintf(`{"metadata":{"name":"v1.%s"},"spec":{"group":%q,"version":"v1","groupPriorityMinimum":100,"versionPriority":10%s}}`, group, group, service)
	}
	l.do(rest.Create, "v1 -/namespaces", `{"metadata":{"name":"shop"}}`)
	l.do(rest.Create, apiServices, apiService("local.example", ""))
	says("v1.local.example", "Available True Local Local APIServices are always available")

	l.do(rest.Create, apiServices, apiService("carts.example", `,"insecureSkipTLSVerify":true,"service":{"namespace":"shop","name":"carts"}`))
	says("v1.carts.example", `Available False ServiceNotFound service/carts in "shop" is not present`)
	l.do(rest.Create, services, `{"metadata":{"name":"carts"},"spec":{"clusterIP":"10.0.0.77","ports":[{"name":"web","port":80}]}}`)
	says("v1.carts.example", `Available False ServicePortError service/carts in "shop" is not listening on port 443`)
	l.do(rest.Patch, services+"/carts", `{"spec":{"ports":[{"name":"api","port":443}]}}`)
	says("v1.carts.example", `Available False EndpointsNotFound cannot find endpointslices for service/carts in "shop"`)
	l.do(rest.Create, slicesOf, `{"metadata":{"name":"a","labels":{"kubernetes.io/service-name":"carts"}},"addressType":"IPv4","endpoints":[{"addresses":["10.1.0.1"]}],"ports":[{"name":"web","port":8443}]}`)
	says("v1.carts.example", `Available False MissingEndpoints endpointslices for service/carts in "shop" have no addresses with port name "api"`)
	l.do(rest.Patch, slicesOf+"/a", `{"ports":[{"name":"api","port":8443}]}`)
	says("v1.carts.example", `Available False FailedDiscoveryCheck failing or missing response from https://10.0.0.77:443/apis/carts.example/v1: Get "https://10.0.0.77:443/apis/carts.example/v1": context deadline exceeded`)
	l.do(rest.Delete, services+"/carts", "")
	says("v1.carts.example", `Available False ServiceNotFound service/carts in "shop" is not present`)
}

// A role that selects others has their rules, also if a selected role is aggregated itself.
func TestAggregation(t *testing.T) {
	l := start(t)
	const roles = "rbac.authorization.k8s.io/v1 -/clusterroles"
	rules := func(name, resource string, want bool) func(*cluster.State) bool {
		return func(s *cluster.State) bool {
			role, ok := cluster.Get[*rbacv1.ClusterRole](s, rbacv1.SchemeGroupVersion.WithKind("ClusterRole").GroupKind(), "", name)
			return ok && want == slices.ContainsFunc(role.Rules, func(r rbacv1.PolicyRule) bool { return slices.Contains(r.Resources, resource) })
		}
	}
	l.do(rest.Create, roles, `{"metadata":{"name":"shop-view","labels":{"rbac.authorization.k8s.io/aggregate-to-view":"true"}},
		"rules":[{"apiGroups":["shop.example"],"resources":["orders"],"verbs":["get"]}]}`)
	l.soon("those who view may get orders", rules("view", "orders", true))
	l.soon("those who edit may as well", rules("edit", "orders", true))
	if !rules("view", "pods", true)(l.Latest().State()) {
		t.Error("those who view may not get pods any more")
	}
	l.do(rest.Patch, roles+"/shop-view", `{"metadata":{"labels":{"rbac.authorization.k8s.io/aggregate-to-view":null}}}`)
	l.soon("nobody may any more who views", rules("view", "orders", false))
	l.soon("nor who edits", rules("edit", "orders", false))
}

// Controllers can be switched off by name. Unknown names are refused.
func TestWhich(t *testing.T) {
	l := start(t, "*", "-serviceaccount-controller")
	l.do(rest.Create, "v1 -/namespaces", `{"metadata":{"name":"shop"}}`)
	l.soon("a certificate", has("ConfigMap", "shop", simulator.RootCA))
	if has("ServiceAccount", "shop", "default")(l.Latest().State()) {
		t.Error("the account exists although its controller is off")
	}
	err := controllers.Options{Which: []string{"-namespace-controler"}}.Check()
	if err == nil || !strings.Contains(err.Error(), "namespace-controler") {
		t.Errorf("a name that no controller has: %v", err)
	}
}

// Up to 1.13, controllers do not see an object until it is initialized, except for the one that empties namespaces. Quotas
// are recounted without it (IN-13).
func TestUninitialized(t *testing.T) {
	release, err := kubeversion.Parse("1.13")
	if err != nil {
		t.Fatal(err)
	}
	state := simulator.AssumeControllers(simulator.BootstrapOf(release))
	l := startWith(t, simulator.Options{Release: release, State: state, Plugins: simulator.Plugins{Enable: []string{"Initializers"}}})
	const pending = `"initializers":{"pending":[{"name":"a.b.c"}]}`
	create := func(path, body string) {
		t.Helper()
		namespace, plural, _ := strings.Cut(path, "/")
		resource, _ := schema.ParseResourceArg(plural)
		if resource == nil {
			resource = &schema.GroupVersionResource{Version: "v1", Resource: plural}
		}
		result, err := l.Do(context.Background(), rest.Request{
			Verb: rest.Create, Resource: *resource, Namespace: strings.TrimPrefix(namespace, "-"),
			Body: []byte(body), User: admission.Administrator(), Query: url.Values{"includeUninitialized": {"1"}},
		})
		if err != nil || result.Code >= 300 {
			t.Fatalf("%v, %v", err, result.Status())
		}
	}
	has := func(kind, namespace, name string) func(*cluster.State) bool {
		return func(s *cluster.State) bool {
			_, ok := s.Find(cluster.Key{GroupKind: schema.GroupKind{Kind: kind}, Namespace: namespace, Name: name})
			return ok
		}
	}
	create("-/namespaces", `{"metadata":{"name":"late",`+pending+`}}`)
	create("-/namespaces", `{"metadata":{"name":"early"}}`)
	l.soon("the account of the initialized namespace", has("ServiceAccount", "early", "default"))
	if has("ServiceAccount", "late", "default")(l.Latest().State()) {
		t.Error("a namespace that is not initialized has an account")
	}
	l.do(rest.Patch, "v1 -/namespaces/late", `{"metadata":{"initializers":null}}`)
	l.soon("the account of the namespace that became initialized", has("ServiceAccount", "late", "default"))

	widgets := func(s *cluster.State) *apiextensionsv1.CustomResourceDefinition {
		crd, _ := cluster.Get[*apiextensionsv1.CustomResourceDefinition](s, apiextensionsv1.Kind("CustomResourceDefinition"), "", "widgets.shop.example")
		return crd
	}
	create("-/customresourcedefinitions.v1beta1.apiextensions.k8s.io", `{"metadata":{"name":"widgets.shop.example",`+pending+`},
		"spec":{"group":"shop.example","version":"v1","names":{"plural":"widgets","kind":"Widget"}}}`)
	create("-/namespaces", `{"metadata":{"name":"next"}}`)
	l.soon("the account of a later namespace", has("ServiceAccount", "next", "default"))
	if crd := widgets(l.Latest().State()); len(crd.Status.Conditions) > 0 {
		t.Errorf("a definition that is not initialized has conditions: %v", crd.Status.Conditions)
	}
	l.do(rest.Patch, "apiextensions.k8s.io/v1beta1 -/customresourcedefinitions/widgets.shop.example", `{"metadata":{"initializers":null}}`)
	l.soon("the names of the definition that became initialized", func(s *cluster.State) bool {
		return apihelpers.IsCRDConditionTrue(widgets(s), apiextensionsv1.Established)
	})

	create("early/resourcequotas", `{"metadata":{"name":"q"},"spec":{"hard":{"count/endpoints":"9"}}}`)
	create("early/endpoints", `{"metadata":{"name":"seen"}}`)
	create("early/endpoints", `{"metadata":{"name":"unseen",`+pending+`}}`)
	create("early/endpoints", `{"metadata":{"name":"gone"}}`)
	l.do(rest.Delete, "v1 early/endpoints/gone", "")
	l.soon("a count of all that is initialized", func(s *cluster.State) bool {
		q, ok := cluster.Get[*corev1.ResourceQuota](s, schema.GroupKind{Kind: "ResourceQuota"}, "early", "q")
		used := q.Status.Used["count/endpoints"]
		return ok && used.Value() == 1
	})
	l.do(rest.Delete, "v1 -/namespaces/early", "")
	l.soon("no more namespace", func(s *cluster.State) bool { return !has("Namespace", "", "early")(s) })
}

// Up to 1.13, a controller waits for the initialization of what it creates, and has failed when the time of its request is
// over, not at once (IN-10). Other controllers do not wait for it.
func TestWaitingCreate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release, err := kubeversion.Parse("1.13")
		if err == nil {
			release, err = release.With(kubeversion.Flags{RuntimeConfig: map[string]bool{"admissionregistration.k8s.io/v1alpha1": true}})
		}
		if err != nil {
			t.Fatal(err)
		}
		sim, err := simulator.New(simulator.Options{
			Release: release, State: simulator.AssumeControllers(simulator.BootstrapOf(release)), Now: time.Now, Plugins: simulator.Plugins{Enable: []string{"Initializers"}},
		})
		if err != nil {
			t.Fatal(err)
		}
		s, err := store.New(sim, store.Options{})
		if err != nil {
			t.Fatal(err)
		}
		l := liveCluster{t, s}
		var mutex sync.Mutex
		var wrote, failed []string
		ctx, cancel := context.WithCancel(t.Context())
		c, err := controllers.Start(ctx, s, controllers.Options{
			Wrote: func(w controllers.Write) {
				if w.Request.Resource.Resource == "serviceaccounts" {
					mutex.Lock()
					defer mutex.Unlock()
					wrote = append(wrote, fmt.Sprintf("%s %d", w.Request.Namespace, w.Result.Code))
				}
			},
			Failed: func(err error) {
				mutex.Lock()
				defer mutex.Unlock()
				failed = append(failed, err.Error())
			},
		})
		if err != nil {
			t.Fatal(err)
		}
		defer func() { cancel(); c.Wait() }()
		after := func(d time.Duration) (allWrote, allFailed string) {
			time.Sleep(d)
			synctest.Wait()
			mutex.Lock()
			defer mutex.Unlock()
			return strings.Join(wrote, ", "), strings.Join(failed, ", ")
		}
		l.do(rest.Create, "admissionregistration.k8s.io/v1alpha1 -/initializerconfigurations",
			`{"metadata":{"name":"accounts"},"initializers":[{"name":"a.b.c","rules":[{"apiGroups":[""],"apiVersions":["v1"],"resources":["serviceaccounts"]}]}]}`)
		l.do(rest.Create, "v1 -/namespaces", `{"metadata":{"name":"in-time"}}`)
		l.do(rest.Create, "v1 -/namespaces", `{"metadata":{"name":"never"}}`)
		if wrote, failed := after(20 * time.Second); wrote != "" || failed != "" {
			t.Errorf("at first, they wrote %q and failed with %q", wrote, failed)
		}
		if !has("ServiceAccount", "never", "default")(l.Latest().State()) {
			t.Error("the account of the second namespace is not stored")
		}
		l.do(rest.Patch, "v1 in-time/serviceaccounts/default", `{"metadata":{"initializers":null}}`)
		if wrote, failed := after(time.Second); !strings.HasPrefix(wrote, "in-time 201") || failed != "" {
			t.Errorf("after the initialization, they wrote %q and failed with %q", wrote, failed)
		}
		allWrote, allFailed := after(10 * time.Second)
		if want := "never 504"; !strings.HasSuffix(allWrote, want) {
			t.Errorf("then they wrote %q, want %q at the end", allWrote, want)
		}
		if want := "system:serviceaccount:kube-system:service-account-controller could not create serviceaccounts never/: Timeout: request did not complete within requested timeout 30s"; allFailed != want {
			t.Errorf("they failed with %q, want %q", allFailed, want)
		}
	})
}
