package certificates

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	certificatesv1 "k8s.io/api/certificates/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/admsim/admsim/internal/objects/rules"
)

const authority = `-----BEGIN CERTIFICATE-----
MIIBbzCCARWgAwIBAgIUZUyQLJ1kPjBqs5EX5xk6aEAxmGQwCgYIKoZIzj0EAwIw
DTELMAkGA1UEAwwCY2EwHhcNMjYxMTIxMjA1NzI5WhcNMzYxMTE4MjA1NzI5WjAN
MQswCQYDVQQDDAJjYTBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABAg1H3kWsY4e
6OUdzfFKCvsKcY8fVlGaPVJQg1URK29ZJ3VS/Tzzin96Wg2ARUjOfQhp4DAupgp4
qFiOkJ/zCxijUzBRMB0GA1UdDgQWBBQBed0/ua66yfauk9wfQxbuJYtszDAfBgNV
HSMEGDAWgBQBed0/ua66yfauk9wfQxbuJYtszDAPBgNVHRMBAf8EBTADAQH/MAoG
CCqGSM49BAMCA0gAMEUCIQCvFl3eTcUgvGUsUJdp1KUuX36BVbUJ1y5HFZg12DRA
QAIgXdfsJ6d/SHfILDdFViEUsSHNviE9LC0mr82zTt6L9bU=
-----END CERTIFICATE-----
`

// The name of a trust bundle begins with the name of its signer, which cannot change. The bundle contains certificates
// of authorities without duplicates.
func TestClusterTrustBundle(t *testing.T) {
	const (
		name   = `metadata.name: Invalid value: "b": ClusterTrustBundle for signerName example.com/one must be named with prefix example.com:one:`
		anchor = `spec.trustBundle: Invalid value: "<value omitted>": `
	)
	bundle := func(name, signer, anchors string) *certificatesv1.ClusterTrustBundle {
		return &certificatesv1.ClusterTrustBundle{
			ObjectMeta: metav1.ObjectMeta{Name: name},
			Spec:       certificatesv1.ClusterTrustBundleSpec{SignerName: signer, TrustBundle: anchors},
		}
	}
	generated := bundle("b-x", "example.com/one", authority)
	generated.GenerateName = "b-"
	for _, test := range []struct {
		reason        string
		after, before *certificatesv1.ClusterTrustBundle
		want          []string
	}{
		{"without a signer", bundle("b", "", authority), nil, nil},
		{"with a signer", bundle("example.com:one:b", "example.com/one", authority), nil, nil},
		{"named after another signer", bundle("a:b", "", authority), nil, []string{`metadata.name: Invalid value: "a:b": ClusterTrustBundle without signer name must not have ":" in its name`}},
		{"not named after its signer", bundle("b", "example.com/one", authority), nil, []string{name}},
		{"an empty bundle", bundle("b", "", "x"), nil, []string{anchor + "at least one trust anchor must be provided"}},
		{"a duplicate certificate", bundle("b", "", authority+authority), nil, []string{anchor + "duplicate trust anchor (indices [0 1])"}},
		{"something other than certificates", bundle("b", "", authority+"-----BEGIN KEY-----\nYQ==\n-----END KEY-----\n-----BEGIN CERTIFICATE-----\nYQ==\n-----END CERTIFICATE-----\n"), nil,
			[]string{anchor + "entry 1 has bad block type: KEY", anchor + "entry 2 does not parse as X.509"}},
		{"unchanged content is not checked", bundle("b", "", "x"), bundle("b", "", "x"), nil},
		{"the signer changes", bundle("b", "example.com/one", authority), bundle("b", "", authority), []string{name, `spec.signerName: Invalid value: "example.com/one": field is immutable`}},
		{"generateName without the signer", generated, nil, []string{strings.ReplaceAll(strings.ReplaceAll(name, "metadata.name", "metadata.generateName"), `"b"`, `"b-"`), strings.ReplaceAll(name, `"b"`, `"b-x"`)}},
	} {
		r := rules.Request{}
		if test.before != nil {
			r.Old = test.before
		}
		errs := clusterTrustBundle.Validate(test.after, r)
		if test.before != nil {
			errs = append(errs, clusterTrustBundle.ValidateUpdate(test.after, test.before, r)...)
		}
		var got []string
		for _, e := range errs {
			got = append(got, e.Error())
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.reason, diff)
		}
	}
}
