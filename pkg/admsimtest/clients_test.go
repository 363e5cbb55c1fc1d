package admsimtest_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	admissionv1 "k8s.io/api/admission/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/admsim/admsim/pkg/admsimtest"
)

var (
	configMaps = schema.GroupVersionResource{Version: "v1", Resource: "configmaps"}
	namespaces = schema.GroupVersionResource{Version: "v1", Resource: "namespaces"}
	accounts   = schema.GroupVersionResource{Version: "v1", Resource: "serviceaccounts"}
)

func object(kind, name string, more map[string]any) *unstructured.Unstructured {
	u := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": kind}}
	for key, value := range more {
		u.Object[key] = value
	}
	u.SetName(name)
	return u
}

func must[T any](t *testing.T) func(T, error) T {
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// A client of client-go and the test itself use the same cluster, with the same webhooks.
func TestClient(t *testing.T) {
	c := admsimtest.New(t, options())
	client := must[dynamic.Interface](t)(dynamicFor(c))
	ctx := t.Context()
	maps := client.Resource(configMaps).Namespace("default")

	created := must[*unstructured.Unstructured](t)(maps.Create(ctx, object("ConfigMap", "a", map[string]any{"data": map[string]any{"x": "1"}}), metav1.CreateOptions{}))
	if created.GetLabels()["owner"] != "shop" {
		t.Errorf("the webhook added no label: %v", created)
	}
	if _, err := maps.Create(ctx, object("ConfigMap", "bad", nil), metav1.CreateOptions{}); err == nil || !strings.Contains(err.Error(), "bad is not welcome") {
		t.Errorf("a denied object: %v", err)
	}
	c.Create(settings("b")).Admitted()
	list := must[*unstructured.UnstructuredList](t)(maps.List(ctx, metav1.ListOptions{LabelSelector: "owner=shop"}))
	if len(list.Items) != 2 {
		t.Errorf("%d objects, want a and b", len(list.Items))
	}
	stale := created.DeepCopy()
	must[*unstructured.Unstructured](t)(maps.Patch(ctx, "a", types.MergePatchType, []byte(`{"data":{"x":"2"}}`), metav1.PatchOptions{}))
	if _, err := maps.Update(ctx, stale, metav1.UpdateOptions{}); !apierrors.IsConflict(err) {
		t.Errorf("an update of an old version: %v", err)
	}
	applied := must[*unstructured.Unstructured](t)(maps.Apply(ctx, "applied", object("ConfigMap", "applied", map[string]any{"data": map[string]any{"k": "v"}}), metav1.ApplyOptions{FieldManager: "test"}))
	if len(applied.GetManagedFields()) == 0 || applied.GetManagedFields()[0].Operation != metav1.ManagedFieldsOperationApply {
		t.Errorf("the applied object has no manager: %v", applied.GetManagedFields())
	}
	c.Delete(settings("b")).Admitted()
	if _, err := maps.Get(ctx, "b", metav1.GetOptions{}); !apierrors.IsNotFound(err) {
		t.Errorf("a deleted object: %v", err)
	}
	t.Run("a subtest has a cluster of its own", func(t *testing.T) {
		of := c.For(t)
		other := must[dynamic.Interface](t)(dynamicFor(of))
		if err := other.Resource(configMaps).Namespace("default").Delete(ctx, "a", metav1.DeleteOptions{}); err != nil {
			t.Error(err)
		}
	})
	must[*unstructured.Unstructured](t)(maps.Get(ctx, "a", metav1.GetOptions{}))
}

func dynamicFor(c *admsimtest.Cluster) (dynamic.Interface, error) {
	return dynamic.NewForConfig(c.RESTConfig())
}

// The pages of a list all show the cluster at the same moment.
func TestPages(t *testing.T) {
	c := admsimtest.New(t, admsimtest.Options{})
	maps := must[dynamic.Interface](t)(dynamicFor(c)).Resource(configMaps).Namespace("default")
	for i := range 5 {
		c.Create(settings(fmt.Sprint("c", i)))
	}
	seen := 0
	o := metav1.ListOptions{Limit: 2}
	for {
		list := must[*unstructured.UnstructuredList](t)(maps.List(t.Context(), o))
		seen += len(list.Items)
		if o.Continue = list.GetContinue(); o.Continue == "" {
			break
		}
		if list.GetRemainingItemCount() == nil {
			t.Error("the number of remaining objects is missing")
		}
		c.Create(settings(fmt.Sprint("later", seen)))
	}
	if seen != 6 { // and kube-root-ca.crt
		t.Errorf("%d objects in all pages, want 6", seen)
	}
}

// Informers see each change once and in order. For a selector, a change may become an addition or a deletion.
func TestWatch(t *testing.T) {
	c := admsimtest.New(t, admsimtest.Options{})
	client := must[dynamic.Interface](t)(dynamicFor(c))
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	informer := cache.NewSharedInformer(&cache.ListWatch{
		ListWithContextFunc: func(ctx context.Context, o metav1.ListOptions) (runtime.Object, error) {
			return client.Resource(configMaps).List(ctx, o)
		},
		WatchFuncWithContext: func(ctx context.Context, o metav1.ListOptions) (watch.Interface, error) {
			return client.Resource(configMaps).Watch(ctx, o)
		},
	}, &unstructured.Unstructured{}, 0) // dynamicinformer would be built with the clients and informers of all kinds
	added := make(chan string, 100)
	must[cache.ResourceEventHandlerRegistration](t)(informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc: func(o any) { added <- o.(*unstructured.Unstructured).GetName() },
	}))
	go informer.RunWithContext(ctx)
	cache.WaitForCacheSync(ctx.Done(), informer.HasSynced)

	selected := must[watch.Interface](t)(client.Resource(configMaps).Namespace("default").Watch(ctx, metav1.ListOptions{LabelSelector: "show=yes", TimeoutSeconds: new(int64(60))}))
	defer selected.Stop()
	m := settings("a")
	c.Create(m).Admitted()
	patch := func(body string) { c.Patch(m, types.MergePatchType, []byte(body)).Admitted() }
	patch(`{"metadata":{"labels":{"show":"yes"}}}`)
	patch(`{"data":{"x":"1"}}`)
	patch(`{"metadata":{"labels":{"show":"no"}}}`)
	c.Delete(m).Admitted()
	for _, want := range []watch.EventType{watch.Added, watch.Modified, watch.Deleted} {
		select {
		case e := <-selected.ResultChan():
			if e.Type != want {
				t.Errorf("%s, want %s", e.Type, want)
			}
		case <-ctx.Done():
			t.Fatalf("no event, want %s", want)
		}
	}
	for {
		select {
		case name := <-added:
			if name == "a" {
				return
			}
		case <-ctx.Done():
			t.Fatal("the informer saw nothing")
		}
	}
}

// Writes by a webhook that uses a client during a call take effect, and block nothing.
func TestWebhookIsClient(t *testing.T) {
	var client dynamic.Interface
	var mu sync.Mutex
	found := []string{}
	mux := http.NewServeMux()
	mux.HandleFunc("/validate", func(w http.ResponseWriter, r *http.Request) {
		var review admissionv1.AdmissionReview
		_ = json.NewDecoder(r.Body).Decode(&review)
		review.Response = &admissionv1.AdmissionResponse{UID: review.Request.UID, Allowed: true}
		maps := client.Resource(configMaps).Namespace("default")
		list, err := maps.List(r.Context(), metav1.ListOptions{})
		if err != nil {
			review.Response.Allowed = false
		} else {
			mu.Lock()
			found = append(found, fmt.Sprint(review.Request.Name, " finds ", len(list.Items)))
			mu.Unlock()
		}
		if review.Request.Name == "a" {
			_, _ = client.Resource(accounts).Namespace("default").Create(r.Context(), object("ServiceAccount", "made", nil), metav1.CreateOptions{})
		}
		_ = json.NewEncoder(w).Encode(review)
	})
	o := options()
	o.Handler = mux
	c := admsimtest.New(t, o)
	client = must[dynamic.Interface](t)(dynamicFor(c))
	c.Create(settings("a")).Admitted()
	c.Create(settings("b")).Admitted()
	if got, want := fmt.Sprint(found), "[a finds 1 b finds 2]"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	must[*unstructured.Unstructured](t)(client.Resource(accounts).Namespace("default").Get(t.Context(), "made", metav1.GetOptions{}))
}

// A namespace is ready when its creation is answered, and is removed after it is deleted; without controllers, neither
// happens.
func TestControllers(t *testing.T) {
	ctx := t.Context()
	client := must[dynamic.Interface](t)(dynamicFor(admsimtest.New(t, admsimtest.Options{})))
	must[*unstructured.Unstructured](t)(client.Resource(namespaces).Create(ctx, object("Namespace", "shop", nil), metav1.CreateOptions{}))
	must[*unstructured.Unstructured](t)(client.Resource(accounts).Namespace("shop").Get(ctx, "default", metav1.GetOptions{}))
	if err := client.Resource(namespaces).Delete(ctx, "shop", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	for end := time.Now().Add(20 * time.Second); ; time.Sleep(time.Millisecond) {
		if _, err := client.Resource(namespaces).Get(ctx, "shop", metav1.GetOptions{}); apierrors.IsNotFound(err) {
			break
		}
		if time.Now().After(end) {
			t.Fatal("the namespace is not removed")
		}
	}
	quiet := must[dynamic.Interface](t)(dynamicFor(admsimtest.New(t, admsimtest.Options{Controllers: []string{}})))
	must[*unstructured.Unstructured](t)(quiet.Resource(namespaces).Create(ctx, object("Namespace", "shop", nil), metav1.CreateOptions{}))
	if _, err := quiet.Resource(accounts).Namespace("shop").Get(ctx, "default", metav1.GetOptions{}); !apierrors.IsNotFound(err) {
		t.Errorf("an account without controllers: %v", err)
	}
}

// Over a port the cluster behaves the same: discovery, protocol buffers, metadata, impersonation.
func TestKubeconfig(t *testing.T) {
	c := admsimtest.New(t, admsimtest.Options{})
	config, err := clientcmd.BuildConfigFromFlags("", c.Kubeconfig())
	if err != nil {
		t.Fatal(err)
	}
	served := must[*discovery.DiscoveryClient](t)(discovery.NewDiscoveryClientForConfig(config))
	groups, resources, err := served.ServerGroupsAndResources()
	if err != nil || len(groups) < 15 || len(resources) < 15 {
		t.Errorf("%d groups, %d lists of resources: %v", len(groups), len(resources), err)
	}
	version, err := served.ServerVersion()
	if err != nil || version.Major != "1" {
		t.Errorf("version %v: %v", version, err)
	}
	c.Create(settings("a")).Admitted()
	config.ContentType = "application/vnd.kubernetes.protobuf"
	partial := must[metadata.Interface](t)(metadata.NewForConfig(config))
	found, err := partial.Resource(configMaps).Namespace("default").Get(t.Context(), "a", metav1.GetOptions{})
	if err != nil || found.Name != "a" || found.UID == "" {
		t.Errorf("%v: %v", found, err)
	}
	config.ContentType = ""
	config.Impersonate.UserName = "system:anonymous"
	client := must[dynamic.Interface](t)(dynamic.NewForConfig(config))
	if _, err := client.Resource(configMaps).Namespace("default").List(t.Context(), metav1.ListOptions{}); !apierrors.IsForbidden(err) {
		t.Errorf("as system:anonymous: %v", err)
	}
}
