package rules

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/api/validation"
	metav1validation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	utilvalidation "k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// namesAsLibrary compares the checks of a name with those of the library.
func namesAsLibrary(t *testing.T, name string) {
	t.Helper()
	same := func(what string, want, got any) {
		t.Helper()
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s(%q) (-library +ours):\n%s", what, name, diff)
		}
	}
	same("dns1123Label", utilvalidation.IsDNS1123Label(name), DNS1123Label(name))
	same("dns1123Subdomain", utilvalidation.IsDNS1123Subdomain(name), DNS1123Subdomain(name))
	for _, prefix := range []bool{false, true} {
		same("dnsLabel", validation.NameIsDNSLabel(name, prefix), DNSLabel(name, prefix))
		same("dnsSubdomain", validation.NameIsDNSSubdomain(name, prefix), DNSSubdomain(name, prefix))
	}
	at := field.NewPath("key")
	want, got := metav1validation.ValidateLabelName(name, at), LabelName(name, at)
	if (len(want) == 0) != (len(got) == 0) || want.ToAggregate() != nil && want.ToAggregate().Error() != got.ToAggregate().Error() {
		t.Errorf("labelName(%q) = %v, the library says %v", name, got, want)
	}
}

// All checks agree with the library for every text of up to five of the relevant characters, and for texts at the
// limits of length.
func TestNamesAsLibrary(t *testing.T) {
	if testing.Short() {
		t.Skip("long, and nothing in it runs concurrently")
	}
	const characters = "a9A-._/ü"
	texts := []string{""}
	for range 5 {
		for _, text := range texts {
			for _, c := range characters {
				texts = append(texts, text+string(c))
			}
		}
		texts = texts[:min(len(texts), 40_000)]
	}
	for _, n := range []int{62, 63, 64, 252, 253, 254} {
		long := strings.Repeat("a", n)
		texts = append(texts, long, long+"/a", "a/"+long, strings.Repeat("a.", n/2)+"a")
	}
	for _, text := range texts {
		namesAsLibrary(t, text)
	}
}

func FuzzNames(f *testing.F) {
	f.Add("example.com/a_b")
	f.Fuzz(namesAsLibrary)
}
