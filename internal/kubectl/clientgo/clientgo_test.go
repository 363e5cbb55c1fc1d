// Package clientgo tests admsim's API server with the clients of client-go, over a port: typed, dynamic, metadata and
// discovery clients, informers, leader election, server-side apply.
package clientgo

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	applycorev1 "k8s.io/client-go/applyconfigurations/core/v1"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
	"k8s.io/client-go/tools/pager"
	"k8s.io/client-go/util/retry"

	"github.com/admsim/admsim/internal/serving"
	"github.com/admsim/admsim/pkg/admsimtest"
	"github.com/admsim/admsim/pkg/kubeversion"
	"github.com/admsim/admsim/pkg/simulator"
)

func newConfig(t *testing.T) *rest.Config {
	t.Helper()
	config, err := clientcmd.BuildConfigFromFlags("", admsimtest.New(t, admsimtest.Options{}).Kubeconfig())
	if err != nil {
		t.Fatal(err)
	}
	config.QPS = -1
	return config
}

// newConfigOf returns a client configuration for a cluster with a feature gate switched on.
func newConfigOf(t *testing.T, gate string) *rest.Config {
	t.Helper()
	release, err := kubeversion.Default().With(kubeversion.Flags{FeatureGates: map[string]bool{gate: true}})
	if err != nil {
		t.Fatal(err)
	}
	sim, err := simulator.New(simulator.Options{Release: release, State: simulator.AssumeControllers(simulator.Bootstrap())})
	if err != nil {
		t.Fatal(err)
	}
	served, err := serving.Start(sim, serving.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(served.Close)
	entrance, err := served.Open(serving.At{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = entrance.Close() })
	config, err := clientcmd.BuildConfigFromFlags("", entrance.Kubeconfig)
	if err != nil {
		t.Fatal(err)
	}
	config.QPS = -1
	return config
}

// TestMain lets client-go use CBOR in tests that ask for it.
func TestMain(m *testing.M) {
	if err := os.Setenv("KUBE_FEATURE_ClientsAllowCBOR", "true"); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}

func configMap(name string, labels map[string]string) *corev1.ConfigMap {
	return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: labels}, Data: map[string]string{"n": "0"}}
}

// The typed client works with JSON, protobuf and CBOR: create, get, update with a retry, patch, list in pages, apply,
// delete.
func TestTyped(t *testing.T) {
	for _, contentType := range []string{"application/json", "application/vnd.kubernetes.protobuf", "application/cbor"} {
		t.Run(contentType[strings.LastIndexAny(contentType, "/.")+1:], func(t *testing.T) {
			t.Parallel()
			ctx := t.Context()
			config := newConfigOf(t, "CBORServingAndStorage")
			config.ContentType, config.AcceptContentTypes = contentType, contentType
			maps := kubernetes.NewForConfigOrDie(config).CoreV1().ConfigMaps("default")
			for i := range 25 {
				if _, err := maps.Create(ctx, configMap(fmt.Sprintf("m-%02d", i), map[string]string{"even": fmt.Sprint(i%2 == 0)}), metav1.CreateOptions{}); err != nil {
					t.Fatal(err)
				}
			}
			if _, err := maps.Create(ctx, configMap("m-01", nil), metav1.CreateOptions{}); !apierrors.IsAlreadyExists(err) {
				t.Errorf("again: %v", err)
			}
			stale, err := maps.Get(ctx, "m-00", metav1.GetOptions{})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := maps.Patch(ctx, "m-00", types.MergePatchType, []byte(`{"data":{"n":"1"}}`), metav1.PatchOptions{}); err != nil {
				t.Fatal(err)
			}
			if _, err := maps.Update(ctx, stale, metav1.UpdateOptions{}); !apierrors.IsConflict(err) {
				t.Errorf("an update of an old version: %v", err)
			}
			if err := retry.RetryOnConflict(retry.DefaultRetry, func() error {
				current, err := maps.Get(ctx, "m-00", metav1.GetOptions{})
				if err != nil {
					return err
				}
				current.Data["n"] = "2"
				_, err = maps.Update(ctx, current, metav1.UpdateOptions{})
				return err
			}); err != nil {
				t.Error(err)
			}
			pages := pager.New(func(ctx context.Context, o metav1.ListOptions) (runtime.Object, error) { return maps.List(ctx, o) })
			pages.PageSize = 4
			seen := 0
			if err := pages.EachListItem(ctx, metav1.ListOptions{LabelSelector: "even=true"}, func(runtime.Object) error { seen++; return nil }); err != nil || seen != 13 {
				t.Errorf("%d even objects, %v", seen, err)
			}
			if _, err := maps.Apply(ctx, applycorev1.ConfigMap("applied", "default").WithData(map[string]string{"a": "1"}), metav1.ApplyOptions{FieldManager: "one"}); err != nil {
				t.Error(err)
			}
			if _, err := maps.Apply(ctx, applycorev1.ConfigMap("applied", "default").WithData(map[string]string{"a": "2"}), metav1.ApplyOptions{FieldManager: "two"}); !apierrors.IsConflict(err) {
				t.Errorf("an apply of what another manager has: %v", err)
			}
			if forced, err := maps.Apply(ctx, applycorev1.ConfigMap("applied", "default").WithData(map[string]string{"a": "2"}), metav1.ApplyOptions{FieldManager: "two", Force: true}); err != nil || forced.Data["a"] != "2" {
				t.Errorf("by force: %v", err)
			}
			if err := maps.DeleteCollection(ctx, metav1.DeleteOptions{}, metav1.ListOptions{LabelSelector: "even"}); err != nil {
				t.Error(err)
			}
			if left, err := maps.List(ctx, metav1.ListOptions{LabelSelector: "even"}); err != nil || len(left.Items) != 0 {
				t.Errorf("%v left, %v", left, err)
			}
		})
	}
}

// With CBOR, bytes and times are preserved, watches get their events, and lists of custom and built-in kinds their
// items. A server without CBOR is asked in JSON.
func TestCBOR(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	config := newConfigOf(t, "CBORServingAndStorage")
	config.ContentType, config.AcceptContentTypes = "application/cbor", "application/cbor"
	client := kubernetes.NewForConfigOrDie(config)
	secrets := client.CoreV1().Secrets("default")
	made, err := secrets.Create(ctx, &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: "s"}, Data: map[string][]byte{"k": {0, 1, 0xff}}}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	watch, err := secrets.Watch(ctx, metav1.ListOptions{ResourceVersion: made.ResourceVersion})
	if err != nil {
		t.Fatal(err)
	}
	defer watch.Stop()
	made.Data["l"] = []byte("text")
	if _, err := secrets.Update(ctx, made, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	event := <-watch.ResultChan()
	if got, ok := event.Object.(*corev1.Secret); !ok || string(got.Data["k"]) != "\x00\x01\xff" || string(got.Data["l"]) != "text" || !got.CreationTimestamp.Equal(&made.CreationTimestamp) {
		t.Errorf("the watch got %v", event)
	}
	if list, err := secrets.List(ctx, metav1.ListOptions{}); err != nil || len(list.Items) != 1 || string(list.Items[0].Data["k"]) != "\x00\x01\xff" {
		t.Errorf("the list is %v, %v", list, err)
	}
	objects, err := dynamic.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	list, err := objects.Resource(corev1.SchemeGroupVersion.WithResource("secrets")).List(ctx, metav1.ListOptions{})
	if err != nil || len(list.Items) != 1 {
		t.Fatalf("the dynamic list is %v, %v", list, err)
	}
	if text, _, _ := unstructured.NestedString(list.Items[0].Object, "data", "k"); text != "AAH/" {
		t.Errorf("bytes are %q", text)
	}

	without := newConfig(t)
	without.ContentType, without.AcceptContentTypes = "application/cbor", "application/cbor,application/json;q=0.9"
	maps := kubernetes.NewForConfigOrDie(without).CoreV1().ConfigMaps("default")
	if _, err := maps.Create(ctx, configMap("a", nil), metav1.CreateOptions{}); !apierrors.IsUnsupportedMediaType(err) {
		t.Errorf("CBOR without its gate: %v", err)
	}
	if _, err := maps.Create(ctx, configMap("a", nil), metav1.CreateOptions{}); err != nil {
		t.Errorf("JSON after that: %v", err)
	}
}

// The dynamic, the metadata and the discovery client agree about a custom resource.
func TestUntyped(t *testing.T) {
	t.Parallel()
	ctx, config := t.Context(), newConfig(t)
	objects, err := dynamic.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	crd := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": map[string]any{"name": "widgets.shop.example"},
		"spec": map[string]any{
			"group": "shop.example", "scope": "Namespaced", "names": map[string]any{"plural": "widgets", "singular": "widget", "kind": "Widget", "listKind": "WidgetList"},
			"versions": []any{map[string]any{"name": "v1", "served": true, "storage": true, "schema": map[string]any{"openAPIV3Schema": map[string]any{
				"type": "object", "properties": map[string]any{"spec": map[string]any{"type": "object", "properties": map[string]any{"size": map[string]any{"type": "integer", "default": int64(2)}}}}}}}},
		},
	}}
	if _, err := objects.Resource(schema.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"}).Create(ctx, crd, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	discovered := kubernetes.NewForConfigOrDie(config).Discovery()
	for wait := time.Now().Add(20 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		if list, err := discovered.ServerResourcesForGroupVersion("shop.example/v1"); err == nil && len(list.APIResources) == 1 {
			break
		} else if time.Now().After(wait) {
			t.Fatalf("the resource is not served: %v", err)
		}
	}
	widgets := schema.GroupVersionResource{Group: "shop.example", Version: "v1", Resource: "widgets"}
	made, err := objects.Resource(widgets).Namespace("default").Create(ctx, &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "shop.example/v1", "kind": "Widget", "metadata": map[string]any{"name": "w"}, "spec": map[string]any{}}}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if size, _, _ := unstructured.NestedInt64(made.Object, "spec", "size"); size != 2 {
		t.Errorf("size %d, want the default 2", size)
	}
	partial, err := metadata.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	if one, err := partial.Resource(widgets).Namespace("default").Get(ctx, "w", metav1.GetOptions{}); err != nil || one.UID != made.GetUID() {
		t.Errorf("metadata: %v, %v", one, err)
	}
	preferred, err := discovered.ServerPreferredResources()
	if err != nil || !slices.ContainsFunc(preferred, func(l *metav1.APIResourceList) bool { return l.GroupVersion == "shop.example/v1" }) {
		t.Errorf("preferred resources: %v", err)
	}
	if paths, err := discovered.OpenAPIV3().Paths(); err != nil || paths["apis/shop.example/v1"] == nil {
		t.Errorf("OpenAPI: %v", err)
	}
	if version, err := discovered.ServerVersion(); err != nil || version.Major != "1" {
		t.Errorf("version %v, %v", version, err)
	}
}

// The informers of a factory receive all events, and their listers know the existing objects.
func TestInformers(t *testing.T) {
	t.Parallel()
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	client := kubernetes.NewForConfigOrDie(newConfig(t))
	maps := client.CoreV1().ConfigMaps("default")
	if _, err := maps.Create(ctx, configMap("before", nil), metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	factory := informers.NewSharedInformerFactoryWithOptions(client, 0, informers.WithNamespace("default"))
	of := factory.Core().V1().ConfigMaps()
	heard := make(chan string, 100)
	_, err := of.Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    func(o any) { heard <- "add " + o.(*corev1.ConfigMap).Name },
		UpdateFunc: func(_, o any) { heard <- "update " + o.(*corev1.ConfigMap).Name },
		DeleteFunc: func(o any) { heard <- "delete " + o.(*corev1.ConfigMap).Name },
	})
	if err != nil {
		t.Fatal(err)
	}
	factory.Start(ctx.Done())
	factory.WaitForCacheSync(ctx.Done())
	if _, err := of.Lister().ConfigMaps("default").Get("before"); err != nil {
		t.Error(err)
	}
	if _, err := maps.Create(ctx, configMap("after", nil), metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	if _, err := maps.Patch(ctx, "after", types.MergePatchType, []byte(`{"data":{"n":"1"}}`), metav1.PatchOptions{}); err != nil {
		t.Fatal(err)
	}
	if err := maps.Delete(ctx, "after", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	var got []string
	for len(got) < 4 {
		select {
		case event := <-heard:
			if !strings.Contains(event, "kube-root-ca.crt") {
				got = append(got, event)
			}
		case <-time.After(20 * time.Second):
			t.Fatalf("heard only %q", got)
		}
	}
	if want := []string{"add before", "add after", "update after", "delete after"}; !slices.Equal(got, want) {
		t.Errorf("heard %q, want %q", got, want)
	}
	stop()
	factory.Shutdown()
}

// One of two candidates leads. When it gives up, the other one does.
func TestLeaderElection(t *testing.T) {
	t.Parallel()
	config := newConfig(t)
	leads := make(chan string, 2)
	start := func(name string) context.CancelFunc {
		ctx, cancel := context.WithCancel(t.Context())
		lock, err := resourcelock.NewFromKubeconfig(resourcelock.LeasesResourceLock, "default", "leader", resourcelock.ResourceLockConfig{Identity: name}, config, 10*time.Second)
		if err != nil {
			t.Fatal(err)
		}
		elector, err := leaderelection.NewLeaderElector(leaderelection.LeaderElectionConfig{
			Lock: lock, LeaseDuration: 15 * time.Second, RenewDeadline: 10 * time.Second, RetryPeriod: 100 * time.Millisecond, ReleaseOnCancel: true,
			Callbacks: leaderelection.LeaderCallbacks{OnStartedLeading: func(context.Context) { leads <- name }, OnStoppedLeading: func() {}},
		})
		if err != nil {
			t.Fatal(err)
		}
		ended := make(chan struct{})
		go func() { elector.Run(ctx); close(ended) }()
		return func() { cancel(); <-ended }
	}
	next := func() string {
		select {
		case name := <-leads:
			return name
		case <-time.After(30 * time.Second):
			return "nobody"
		}
	}
	stopFirst := start("first")
	if name := next(); name != "first" {
		t.Fatalf("%s leads", name)
	}
	stopSecond := start("second")
	defer stopSecond()
	stopFirst()
	if name := next(); name != "second" {
		t.Errorf("%s leads after the first gave up", name)
	}
}
