package webhook

import (
	"context"
	"errors"
	"runtime"
	"strconv"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	apiruntime "k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/config"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"

	opsv1 "github.com/admsim/admsim/examples/controller-runtime/api/v1"
	"github.com/admsim/admsim/pkg/admsimtest"
)

// A reconciler keeps a ConfigMap with the plan of each Backup.
type reconciler struct{ client.Client }

func (r *reconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	var backup opsv1.Backup
	if err := r.Get(ctx, req.NamespacedName, &backup); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	plan := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: req.Namespace, Name: req.Name + "-plan"}}
	_, err := controllerutil.CreateOrUpdate(ctx, r.Client, plan, func() error {
		plan.Data = map[string]string{"every": backup.Spec.Every}
		return controllerutil.SetControllerReference(&backup, plan, r.Scheme())
	})
	return ctrl.Result{}, err
}

// A complete manager, with caches and a reconciler, runs in the test without a cluster and without a port. The webhook
// sets defaults, and what the Backup owns is deleted with it.
func TestManager(t *testing.T) { manage(t, newCluster(t)) }

// Managers run concurrently, each in a cluster of its own, and create objects with the same names. When a test ends,
// its watches end as well, and no goroutine is left.
func TestManagersSideBySide(t *testing.T) {
	c := newCluster(t)
	before := runtime.NumGoroutine()
	t.Run("tests", func(t *testing.T) {
		for i := range 8 {
			t.Run(strconv.Itoa(i), func(t *testing.T) {
				t.Parallel()
				manage(t, c.For(t))
			})
		}
	})
	for end := time.Now().Add(20 * time.Second); runtime.NumGoroutine() > before; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			stacks := make([]byte, 1<<16)
			t.Fatalf("%d goroutines, %d before:\n%s", runtime.NumGoroutine(), before, stacks[:runtime.Stack(stacks, true)])
		}
	}
}

func manage(t *testing.T, c *admsimtest.Cluster) {
	scheme := apiruntime.NewScheme()
	if err := errors.Join(opsv1.AddToScheme(scheme), clientgoscheme.AddToScheme(scheme)); err != nil {
		t.Fatal(err)
	}
	mgr, err := ctrl.NewManager(c.RESTConfig(), ctrl.Options{
		Scheme: scheme, Metrics: metricsserver.Options{BindAddress: "0"},
		Controller: config.Controller{SkipNameValidation: new(true)}, // several tests use the same name
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := ctrl.NewControllerManagedBy(mgr).For(&opsv1.Backup{}).Owns(&corev1.ConfigMap{}).Complete(&reconciler{mgr.GetClient()}); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- mgr.Start(ctx) }()
	defer func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}()

	cl, err := client.New(c.RESTConfig(), client.Options{Scheme: scheme})
	if err != nil {
		t.Fatal(err)
	}
	photos := backup(nil)
	if err := cl.Create(ctx, photos); err != nil {
		t.Fatal(err)
	}
	plan := &corev1.ConfigMap{}
	key := client.ObjectKey{Namespace: "default", Name: "photos-plan"}
	eventually(t, "the plan has the default of the webhook", func() bool {
		return cl.Get(ctx, key, plan) == nil && plan.Data["every"] == "24h0m0s"
	})
	if err := cl.Create(ctx, backup(func(b *opsv1.Backup) { b.Name, b.Spec.Every = "often", "5m" })); !apierrors.IsForbidden(err) {
		t.Errorf("the webhook refuses this: %v", err)
	}
	if err := cl.Delete(ctx, photos); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the plan goes with the backup", func() bool { return apierrors.IsNotFound(cl.Get(ctx, key, plan)) })
}

func eventually(t *testing.T, what string, is func() bool) {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		if is() {
			return
		}
	}
	t.Fatal("timed out before this: " + what)
}
