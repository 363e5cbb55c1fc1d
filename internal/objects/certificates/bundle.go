// kubernetes/kubernetes:pkg/apis/certificates/validation/validation.go

package certificates

import (
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"strings"

	certificatesv1 "k8s.io/api/certificates/v1"
	"k8s.io/apimachinery/pkg/api/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/admsim/admsim/internal/objects/rules"
)

// The certificates to trust for a signer, or for anything: kubernetes/kubernetes:pkg/apis/certificates/validation.
var clusterTrustBundle = rules.Of[*certificatesv1.ClusterTrustBundle]{
	Name: func(string, bool) []string { return nil }, // it depends on the signer
	Validate: func(b *certificatesv1.ClusterTrustBundle, r rules.Request) field.ErrorList {
		var errs rules.Errors
		errs.Add(bundleSigner(b))
		if old := rules.OldOf[*certificatesv1.ClusterTrustBundle](r); old == nil || b.Spec.TrustBundle != old.Spec.TrustBundle {
			errs.Add(trustAnchors(b.Spec.TrustBundle))
		}
		return errs.List()
	},
	ValidateUpdate: func(b, old *certificatesv1.ClusterTrustBundle, _ rules.Request) field.ErrorList {
		return validation.ValidateImmutableField(b.Spec.SignerName, old.Spec.SignerName, rules.SpecPath.Child("signerName"))
	},
}

// bundleSigner requires the name of a bundle, and its generateName, to begin with the name of its signer.
func bundleSigner(b *certificatesv1.ClusterTrustBundle) field.ErrorList {
	signer := b.Spec.SignerName
	var errs rules.Errors
	if b.GenerateName != "" {
		errs.Add(rules.Faults(rules.MetadataPath.Child("generateName"), b.GenerateName, bundleName(signer, b.GenerateName, true)))
	}
	if b.Name != "" { // a missing name is reported for all kinds
		errs.Add(rules.Faults(rules.MetadataPath.Child("name"), b.Name, bundleName(signer, b.Name, false)))
	}
	if signer != "" {
		errs.Add(rules.SignerName(signer, rules.SpecPath.Child("signerName")))
	}
	return errs.List()
}

func bundleName(signer, name string, prefix bool) []string {
	if signer == "" {
		if strings.Contains(name, ":") {
			return []string{`ClusterTrustBundle without signer name must not have ":" in its name`}
		}
		return validation.NameIsDNSSubdomain(name, prefix)
	}
	required := strings.ReplaceAll(signer, "/", ":") + ":"
	rest, ok := strings.CutPrefix(name, required)
	if !ok {
		return []string{fmt.Sprintf("ClusterTrustBundle for signerName %s must be named with prefix %s", signer, required)}
	}
	return validation.NameIsDNSSubdomain(rest, prefix)
}

const (
	maxTrustBundle = 1 << 20
	bundleOmitted  = "<value omitted>"
)

// trustAnchors requires certificates of authorities without duplicates.
func trustAnchors(bundle string) field.ErrorList {
	at := rules.SpecPath.Child("trustBundle")
	if len(bundle) > maxTrustBundle {
		return field.ErrorList{field.TooLong(at, "", maxTrustBundle)}
	}
	var errs rules.Errors
	var order []string
	found := map[string][]int{}
	rest := []byte(bundle)
	for i := 0; ; i++ {
		var block *pem.Block
		if block, rest = pem.Decode(rest); block == nil {
			break
		}
		if wrong := wrongOfAnchor(block); wrong != "" {
			errs.Invalid(at, bundleOmitted, fmt.Sprintf("entry %d %s", i, wrong))
			continue
		}
		anchor := string(block.Bytes)
		if found[anchor] == nil {
			order = append(order, anchor)
		}
		found[anchor] = append(found[anchor], i)
	}
	if errs.Any() {
		return errs.List()
	}
	for _, anchor := range order {
		if indices := found[anchor]; len(indices) > 1 {
			errs.Invalid(at, bundleOmitted, fmt.Sprintf("duplicate trust anchor (indices %v)", indices))
		}
	}
	errs.Add(rules.Unless(len(order) > 0, at, bundleOmitted, "at least one trust anchor must be provided"))
	return errs.List()
}

func wrongOfAnchor(block *pem.Block) string {
	switch {
	case block.Type != "CERTIFICATE":
		return "has bad block type: " + block.Type
	case len(block.Headers) != 0:
		return "has PEM block headers"
	}
	c, err := x509.ParseCertificate(block.Bytes)
	switch {
	case err != nil:
		return "does not parse as X.509"
	case !c.IsCA:
		return "does not have the CA bit set"
	case !c.BasicConstraintsValid:
		return "has invalid basic constraints"
	}
	return ""
}
