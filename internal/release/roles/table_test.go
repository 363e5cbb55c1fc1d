package roles

import (
	"encoding/json"
	"testing"
)

func objectsOf(t *testing.T, texts ...string) Objects {
	t.Helper()
	all := Objects{}
	for _, text := range texts {
		var o Object
		if err := json.Unmarshal([]byte(text), &o); err != nil {
			t.Fatal(err)
		}
		o.Metadata.Annotations = map[string]string{"rbac.authorization.kubernetes.io/autoupdate": "true"}
		all[o.key()] = o
	}
	return all
}

// A line has the releases that have it, in their order, and the gates without which it is missing.
func TestTable(t *testing.T) {
	const (
		pods    = `{"verbs":["get"],"apiGroups":[""],"resources":["pods"]}`
		secrets = `{"verbs":["get","list"],"apiGroups":["","x"],"resources":["secrets"],"resourceNames":["a"]}`
		paths   = `{"verbs":["get"],"nonResourceURLs":["/a","/b","/c"]}`
		fewer   = `{"verbs":["get"],"nonResourceURLs":["/a","/c"]}`
		binding = `{"kind":"RoleBinding","metadata":{"namespace":"n","name":"b"},"subjects":[{"kind":"User","name":"u"},{"kind":"ServiceAccount","namespace":"n","name":"s"}],"roleRef":{"name":"r"}}`
	)
	role := func(name, rules string) string {
		return `{"kind":"ClusterRole","metadata":{"name":"` + name + `"},"rules":[` + rules + `]}`
	}
	got, err := Table([]Release{
		{Minor: 20, All: objectsOf(t, role("r", pods))},
		{Minor: 21, All: objectsOf(t, role("r", secrets+","+pods), role("old", pods))},
		{
			Minor:   22,
			All:     objectsOf(t, role("r", pods+","+secrets+","+paths), role("new", pods), binding),
			Without: map[string]Objects{"G": objectsOf(t, role("r", pods+","+fewer), binding), "H": objectsOf(t, role("r", pods+","+secrets+","+paths), role("new", pods), binding)},
		},
	})
	if err == nil {
		t.Fatalf("no error for a gate on which a line and a part of another depend:\n%s", got)
	}
	got, err = Table([]Release{
		{Minor: 20, All: objectsOf(t, role("r", pods))},
		{Minor: 21, All: objectsOf(t, role("r", secrets+","+pods), role("old", pods))},
		{
			Minor: 22,
			All:   objectsOf(t, role("r", pods+","+secrets+","+paths), role("new", pods), binding),
			Without: map[string]Objects{
				"G": objectsOf(t, role("r", pods+","+paths), binding),
				"H": objectsOf(t, role("r", pods+","+secrets+","+fewer), role("new", pods), binding),
			},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	want := `ClusterRole new +G @22-
	may get core pods
ClusterRole old @21
	may get core pods
ClusterRole r
	may get,list core,x secrets a @21
	may get core pods
	may get,list core,x secrets a +G @22-
	url get /a,/b?H,/c @22-
RoleBinding n/b r @22-
	user u
	account n/s
`
	if got != want {
		t.Errorf("Table() =\n%s\nwant\n%s", got, want)
	}
}
