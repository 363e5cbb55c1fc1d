package bootstrap_test

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/admsim/admsim/internal/bootstrap"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// Every object that a server creates has field owners and the time of the start as its creation timestamp.
func TestStored(t *testing.T) {
	at := metav1.NewTime(time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC))
	s := bootstrap.WithAddress(bootstrap.State(kubeversion.Default()), kubeversion.Default(), bootstrap.Address{Host: "127.0.0.1", Port: 6443, Services: []string{"10.0.0.0/24"}, Now: at.Time})
	s = s.With(cluster.Object{Object: &corev1.Namespace{
		TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Namespace"}, ObjectMeta: metav1.ObjectMeta{Name: "kube-public", UID: "u"},
	}})
	entries := map[string]string{}
	for o := range bootstrap.Stored(s, kubeversion.Default(), at).All() {
		m, err := meta.Accessor(o.Object)
		if err != nil {
			t.Fatal(err)
		}
		name := o.Object.GetObjectKind().GroupVersionKind().Kind + " " + m.GetName()
		if m.GetUID() == "u" {
			if len(m.GetManagedFields()) > 0 {
				t.Errorf("%s is not the server's, but has owners: %v", name, m.GetManagedFields())
			}
		} else if len(m.GetManagedFields()) == 0 {
			t.Errorf("%s has no owners", name)
		}
		if created := m.GetCreationTimestamp(); !created.Equal(&at) {
			t.Errorf("%s was created at %v, want %v", name, created, at)
		}
		for _, e := range m.GetManagedFields() {
			entries[name] += e.Manager + " " + string(e.Operation) + " " + string(e.FieldsV1.Raw) + "\n"
		}
	}
	// As in kube-apiserver 1.37.2.
	for name, want := range map[string]string{
		"Namespace default": `kube-apiserver Update {"f:metadata":{"f:labels":{".":{},"f:kubernetes.io/metadata.name":{}}}}` + "\n",
		"RoleBinding system::leader-locking-kube-scheduler": `kube-apiserver Update {"f:metadata":{"f:annotations":{".":{},"f:rbac.authorization.kubernetes.io/autoupdate":{}},"f:labels":{".":{},"f:kubernetes.io/bootstrapping":{}}},"f:roleRef":{},"f:subjects":{}}` + "\n",
		"PriorityClass system-node-critical":                `kube-apiserver Update {"f:description":{},"f:preemptionPolicy":{},"f:value":{}}` + "\n",
	} {
		if got := entries[name]; got != want {
			t.Errorf("owners of %s:\n%swant\n%s", name, got, want)
		}
	}
}

// Old releases have no field owners, but set creation timestamps.
func TestStoredWithoutOwners(t *testing.T) {
	r, err := kubeversion.Parse("1.15")
	if err != nil {
		t.Fatal(err)
	}
	at := metav1.NewTime(time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC))
	for o := range bootstrap.Stored(bootstrap.State(r), r, at).All() {
		m, err := meta.Accessor(o.Object)
		if err != nil {
			t.Fatal(err)
		}
		if created := m.GetCreationTimestamp(); len(m.GetManagedFields()) > 0 || !created.Equal(&at) {
			t.Errorf("%T %s was created at %v, and has owners %v", o.Object, m.GetName(), created, m.GetManagedFields())
		}
	}
}
