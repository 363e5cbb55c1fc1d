package bootstrap_test

import (
	"net/netip"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/admsim/admsim/internal/bootstrap"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/kubeversion"
)

func cidr(name, text string) cluster.Object {
	return cluster.Object{Object: &networkingv1.ServiceCIDR{
		TypeMeta: metav1.TypeMeta{APIVersion: "networking.k8s.io/v1", Kind: "ServiceCIDR"}, ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: networkingv1.ServiceCIDRSpec{CIDRs: []string{text}},
	}}
}

func TestServerRanges(t *testing.T) {
	service := func(ip string) cluster.Object {
		return cluster.Object{Object: &corev1.Service{
			TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Service"}, ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "web"}, Spec: corev1.ServiceSpec{ClusterIP: ip},
		}}
	}
	for _, test := range []struct {
		reason  string
		release string
		objects []cluster.Object
		want    []string
	}{
		{"an empty cluster has the default", "1.37", nil, []string{"10.0.0.0/24"}},
		{"an address in the default range says nothing else", "1.37", []cluster.Object{service("10.0.0.9")}, []string{"10.0.0.0/24"}},
		{"nor does a service without an address", "1.37", []cluster.Object{service("None")}, []string{"10.0.0.0/24"}},
		{"an address elsewhere: the range is unknown", "1.37", []cluster.Object{service("10.96.0.9")}, nil},
		{"another ServiceCIDR explains the address", "1.37", []cluster.Object{service("10.96.0.9"), cidr("more", "10.96.0.0/16")}, []string{"10.0.0.0/24"}},
		{"the broadcast address of the default range: the range is unknown", "1.37", []cluster.Object{service("10.0.0.255")}, nil},
		{"a ServiceCIDR that is no range explains nothing", "1.30", []cluster.Object{service("10.96.0.9"), cidr("more", "10.96.0.0/16")}, nil},
		{"the server's own ServiceCIDR has the range", "1.37", []cluster.Object{service("10.96.0.9"), cidr("kubernetes", "10.96.0.0/12")}, []string{"10.96.0.0/12"}},
	} {
		r, err := kubeversion.Parse(test.release)
		if err != nil {
			t.Fatal(err)
		}
		if got := bootstrap.ServerRanges(cluster.New(test.objects...), r); !slices.Equal(got, test.want) {
			t.Errorf("%s: ServerRanges = %q, want %q", test.reason, got, test.want)
		}
	}
}

// PL-08: the first address of a range is no service's, nor is the last one of IPv4. A map of all addresses of an IPv6 range is
// short.
func TestAddressesOfRange(t *testing.T) {
	for _, test := range []struct {
		release, within string
		has, lacks      []string
	}{
		{"1.15", "10.0.0.0/30", []string{"10.0.0.1", "10.0.0.2"}, []string{"10.0.0.0", "10.0.0.3", "10.0.0.4", "9.255.255.255", "::a00:1"}},
		{"1.37", "10.0.0.0/20", []string{"10.0.0.1", "10.0.15.254"}, []string{"10.0.0.0", "10.0.15.255", "10.0.16.0"}},
		{"1.37", "fd00::/108", []string{"fd00::1", "fd00::f:ffff"}, []string{"fd00::", "fd00::10:0", "10.0.0.1"}},
		{"1.32", "fd00::/108", []string{"fd00::1", "fd00::ffff"}, []string{"fd00::", "fd00::1:0"}},
		{"1.32", "fd00::/120", []string{"fd00::1", "fd00::ff"}, []string{"fd00::", "fd00::100"}},
	} {
		r, err := kubeversion.Parse(test.release)
		if err != nil {
			t.Fatal(err)
		}
		state := cluster.New()
		if r.Has(kubeversion.AddressObjects) {
			state = state.With(cidr("kubernetes", test.within))
		} else {
			state = bootstrap.WithAddress(state, r, bootstrap.Address{Services: []string{test.within}})
		}
		ranges := bootstrap.ServiceRanges(state, r)
		for _, text := range slices.Concat(test.has, test.lacks) {
			if got, want := ranges.Allow(netip.MustParseAddr(text)), slices.Contains(test.has, text); got != want {
				t.Errorf("%s: %s has %s: %v, want %v", test.release, test.within, text, got, want)
			}
		}
	}
}

func TestCheckServiceRanges(t *testing.T) {
	for _, test := range []struct {
		release, ranges string
		want, err       string
	}{
		{"1.37", "10.96.0.5/12,fd00::/64", "10.96.0.0/12,fd00::/64", ""},
		{"1.30", "10.96.0.0/12,fd00::/108", "10.96.0.0/12,fd00::/108", ""},
		{"1.30", "fd00::/64", "", "fd00::/64 is too large: its prefix has to be at least /108"},
		{"1.37", "10.0.0.0/30", "", "10.0.0.0/30 has fewer than 8 addresses"},
		{"1.37", "10.0.0.0/24,10.1.0.0/24", "", "10.0.0.0/24 and 10.1.0.0/24 are of the same IP family"},
		{"1.37", "10.0.0.0/24,fd00::/108,10.1.0.0/24", "", "there are more than two ranges"},
		{"1.37", "10.0.0.0", "", `"10.0.0.0" is not a range of addresses`},
	} {
		r, err := kubeversion.Parse(test.release)
		if err != nil {
			t.Fatal(err)
		}
		got, err := bootstrap.CheckServiceRanges(strings.Split(test.ranges, ","), r)
		text := ""
		if err != nil {
			text = err.Error()
		}
		if strings.Join(got, ",") != test.want || text != test.err {
			t.Errorf("%s: CheckServiceRanges(%s) = %q, %q, want %q, %q", test.release, test.ranges, got, text, test.want, test.err)
		}
	}
}

// The service kubernetes has the fields of its release.
func TestServiceOfAddress(t *testing.T) {
	for release, want := range map[string]corev1.ServiceSpec{
		"1.19": {ClusterIP: "10.0.0.1"},
		"1.20": {ClusterIP: "10.0.0.1", ClusterIPs: []string{"10.0.0.1"}},
		"1.21": {ClusterIP: "10.0.0.1", ClusterIPs: []string{"10.0.0.1"}, IPFamilies: []corev1.IPFamily{corev1.IPv4Protocol}},
		"1.22": {ClusterIP: "10.0.0.1", ClusterIPs: []string{"10.0.0.1"}, IPFamilies: []corev1.IPFamily{corev1.IPv4Protocol}, InternalTrafficPolicy: new(corev1.ServiceInternalTrafficPolicyCluster)},
	} {
		r, err := kubeversion.Parse(release)
		if err != nil {
			t.Fatal(err)
		}
		s := bootstrap.WithAddress(cluster.New(), r, bootstrap.Address{Services: []string{"10.0.0.0/24"}})
		found, _ := s.Find(cluster.Key{GroupKind: corev1.SchemeGroupVersion.WithKind("Service").GroupKind(), Namespace: "default", Name: "kubernetes"})
		service, ok := found.Object.(*corev1.Service)
		if !ok {
			t.Fatalf("%s: no service", release)
		}
		got := service.Spec
		if got.ClusterIP != want.ClusterIP || !slices.Equal(got.ClusterIPs, want.ClusterIPs) || !slices.Equal(got.IPFamilies, want.IPFamilies) || (got.InternalTrafficPolicy == nil) != (want.InternalTrafficPolicy == nil) {
			t.Errorf("%s: the service is %+v, want %+v", release, got, want)
		}
	}
}
