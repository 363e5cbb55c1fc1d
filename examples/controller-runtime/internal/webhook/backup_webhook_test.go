package webhook

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"

	"github.com/admsim/admsim/pkg/admsimtest"

	opsv1 "github.com/admsim/admsim/examples/controller-runtime/api/v1"
)

// newCluster is the equivalent of envtest for admission: the project's CRD and webhook configurations are installed,
// and the webhooks of its manager answer.
func newCluster(t *testing.T) *admsimtest.Cluster {
	t.Helper()
	scheme := runtime.NewScheme()
	if err := opsv1.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	mgr, err := ctrl.NewManager(&rest.Config{}, ctrl.Options{Scheme: scheme}) // nothing connects to a server
	if err != nil {
		t.Fatal(err)
	}
	if err := SetupBackupWebhookWithManager(mgr); err != nil {
		t.Fatal(err)
	}
	return admsimtest.New(t, admsimtest.Options{
		Manifests: []string{"../../config/crd/bases", "../../config/webhook"},
		Handler:   mgr.GetWebhookServer().WebhookMux(),
		Scheme:    scheme,
	})
}

func backup(change func(*opsv1.Backup)) *opsv1.Backup {
	b := &opsv1.Backup{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "photos"}, Spec: opsv1.BackupSpec{Volume: "photos"}}
	if change != nil {
		change(b)
	}
	return b
}

func TestDefaults(t *testing.T) {
	var got opsv1.Backup
	newCluster(t).Create(backup(nil)).Admitted().Into(&got)
	if got.Spec.Every != "24h0m0s" || *got.Spec.Keep != 7 {
		t.Errorf("spec = every %s, keep %d, want the defaults", got.Spec.Every, *got.Spec.Keep)
	}
}

func TestRefused(t *testing.T) {
	c := newCluster(t)
	c.Create(backup(func(b *opsv1.Backup) { b.Spec.Every = "5m" })).Denied("5m0s is less than an hour").DeniedByWebhook("vbackup-v1.kb.io")

	// The schema of the CRD is checked before the validating webhooks are called.
	c.Create(backup(func(b *opsv1.Backup) { b.Spec.Volume = "" })).Denied("spec.volume")

	c.Create(backup(func(b *opsv1.Backup) { b.Spec.Keep = new(int32(1)) })).Admitted().Warned("one backup is none")
}

// A request finds what the previous one left.
func TestLife(t *testing.T) {
	c := newCluster(t)
	var b opsv1.Backup
	c.Create(backup(func(b *opsv1.Backup) {
		b.Annotations = map[string]string{"ops.shop.example/keep": "true"}
	})).Admitted().Into(&b)

	b.Spec.Volume = "music"
	c.Update(&b).Denied("photos cannot become music")
	c.Delete(&b).Denied("take off the annotation")

	b.Spec.Volume, b.Annotations = "photos", nil
	c.Update(&b, admsimtest.As("alice", "system:masters")).Admitted()
	c.Delete(&b).Admitted()
}
