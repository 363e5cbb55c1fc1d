package changes

import "testing"

// A row is extended if the version in etcd has changed. It need not be served.
func TestNextStored(t *testing.T) {
	const table = `# A comment.
customresourcedefinitions.apiextensions.k8s.io 14:v1beta1
events.events.k8s.io 14:/v1
pods 14:v1
storageversionmigrations.storagemigration.k8s.io 30:v1alpha1 35:v1beta1
`
	const want = `# A comment.
customresourcedefinitions.apiextensions.k8s.io 14:v1beta1
events.events.k8s.io 14:/v1
namespaces 38:v1
pods 14:v1
storageversionmigrations.storagemigration.k8s.io 30:v1alpha1 35:v1beta1 38:v1
`
	stored := map[string]StoredResource{
		"customresourcedefinitions.apiextensions.k8s.io": {"CustomResourceDefinition", "jfWCUB31mvA=", []string{"apiextensions.k8s.io/v1"}},
		"events.events.k8s.io":                           {"Event", "r2yiGXH7wu8=", []string{"events.k8s.io/v1"}},
		"namespaces":                                     {"Namespace", "Q3oi5N2YM8M=", []string{"v1"}},
		"pods":                                           {"Pod", "xPOwRZ+Yhw8=", []string{"v1"}},
		"storageversionmigrations.storagemigration.k8s.io": {"StorageVersionMigration", "fG8W2W0mBLo=", []string{"storagemigration.k8s.io/v1"}},
	}
	got, err := NextStored(table, "1.38.0", stored)
	if err != nil || got != want {
		t.Errorf("NextStored: %v\n%s\nwant\n%s", err, got, want)
	}
	if again, err := NextStored(got, "1.38.0", stored); err != nil || again != got {
		t.Errorf("a second run changes something: %v\n%s", err, again)
	}
	stored["pods"] = StoredResource{"Pod", "Q3oi5N2YM8M=", []string{"v1"}}
	if _, err := NextStored(table, "1.38.0", stored); err == nil {
		t.Error("no error for an unknown hash")
	}
}
