// kubernetes/kubernetes:pkg/apis/certificates/validation/validation.go

package certificates

import (
	"bytes"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"slices"

	certificatesv1 "k8s.io/api/certificates/v1"
	certificatesv1beta1 "k8s.io/api/certificates/v1beta1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/admsim/admsim/internal/objects/rules"
	"github.com/admsim/admsim/internal/semantic"
	"github.com/admsim/admsim/pkg/kubeversion"
)

const legacySigner = certificatesv1beta1.LegacyUnknownSignerName

var keyUsages = []certificatesv1.KeyUsage{
	certificatesv1.UsageAny, certificatesv1.UsageCRLSign, certificatesv1.UsageCertSign, certificatesv1.UsageClientAuth,
	certificatesv1.UsageCodeSigning, certificatesv1.UsageContentCommitment, certificatesv1.UsageDataEncipherment,
	certificatesv1.UsageDecipherOnly, certificatesv1.UsageDigitalSignature, certificatesv1.UsageEmailProtection,
	certificatesv1.UsageEncipherOnly, certificatesv1.UsageIPsecEndSystem, certificatesv1.UsageIPsecTunnel,
	certificatesv1.UsageIPsecUser, certificatesv1.UsageKeyAgreement, certificatesv1.UsageKeyEncipherment,
	certificatesv1.UsageMicrosoftSGC, certificatesv1.UsageNetscapeSGC, certificatesv1.UsageOCSPSigning,
	certificatesv1.UsageSMIME, certificatesv1.UsageServerAuth, certificatesv1.UsageSigning, certificatesv1.UsageTimestamping,
}

func validateSigningRequest(c *certificatesv1.CertificateSigningRequest, r rules.Request) field.ErrorList {
	old := rules.OldOf[*certificatesv1.CertificateSigningRequest](r)
	s := &c.Spec
	var errs rules.Errors
	if err := signedRequest(s.Request); err != nil {
		errs.Invalid(rules.SpecPath.Child("request"), s.Request, err.Error())
	}
	if len(s.Usages) == 0 {
		errs.Required(rules.SpecPath.Child("usages"), missing("usages", r.Release))
	}
	if old == nil && !r.IsBeta() { // usages cannot change, right or wrong; v1beta1 allows more (CV-13)
		errs.Add(usages(s.Usages, rules.SpecPath.Child("usages")))
	}
	switch signer := rules.SpecPath.Child("signerName"); {
	case !r.Release.Has(kubeversion.RequestsNameSigners):
	case s.SignerName == legacySigner && !r.IsBeta() && (old == nil || old.Spec.SignerName != legacySigner):
		errs.Invalid(signer, s.SignerName, "the legacy signerName is not allowed via this API version")
	case s.SignerName == "":
		errs.Required(signer, missing("signerName", r.Release))
	default:
		errs.Add(rules.SignerName(s.SignerName, signer))
	}
	if n := s.ExpirationSeconds; n != nil {
		errs.Add(rules.Unless(*n >= 600, rules.SpecPath.Child("expirationSeconds"), *n, "may not specify a duration less than 600 seconds (10 minutes)"))
	}
	if r.Release.Has(kubeversion.CertificateConditions) {
		errs.Add(requestConditions(c, old, r))
		errs.Add(issuedCertificate(c, old, r))
	}
	return errs.List()
}

// missing returns the detail of the error about a missing field.
func missing(name string, r *kubeversion.Release) string {
	if r.Has(kubeversion.MissingFieldsTerse) {
		return ""
	}
	return name + " must be provided"
}

func usages(all []certificatesv1.KeyUsage, at *field.Path) field.ErrorList {
	var errs rules.Errors
	for i, u := range all {
		errs.Add(rules.Choice(u, at.Index(i), slices.Sorted(slices.Values(keyUsages))...))
	}
	errs.Add(rules.Repeated(all, at))
	return errs.List()
}

// signedRequest returns why a text is not a certificate request.
func signedRequest(text []byte) error {
	req, err := parseRequest(text)
	if err != nil {
		return err
	}
	return req.CheckSignature()
}

func parseRequest(text []byte) (*x509.CertificateRequest, error) {
	block, _ := pem.Decode(text)
	if block == nil || block.Type != "CERTIFICATE REQUEST" {
		return nil, errors.New("PEM block type must be CERTIFICATE REQUEST")
	}
	return x509.ParseCertificateRequest(block.Bytes)
}

var (
	trueOnly     = []corev1.ConditionStatus{corev1.ConditionTrue}
	anyCondition = []corev1.ConditionStatus{corev1.ConditionFalse, corev1.ConditionTrue, corev1.ConditionUnknown}
)

// requestConditions checks the conditions. Faults of the old ones may be kept.
func requestConditions(c, old *certificatesv1.CertificateSigningRequest, r rules.Request) field.ErrorList {
	at := field.NewPath("status", "conditions")
	decided := func(c *certificatesv1.CertificateSigningRequest, t certificatesv1.RequestConditionType) bool {
		return c != nil && len(conditionsOf(c.Status.Conditions, t)) > 0
	}
	mayBeBoth := decided(old, certificatesv1.CertificateApproved) && decided(old, certificatesv1.CertificateDenied)
	mayRepeat := r.IsBeta() || old != nil && slices.ContainsFunc(old.Status.Conditions, func(x certificatesv1.CertificateSigningRequestCondition) bool {
		return len(conditionsOf(old.Status.Conditions, x.Type)) > 1
	})
	var errs rules.Errors
	seen := map[certificatesv1.RequestConditionType]bool{}
	for i, x := range c.Status.Conditions {
		if !r.IsBeta() && !decided(old, "") {
			errs.Add(rules.Required(string(x.Type), at.Index(i).Child("type")))
		}
		statuses := anyCondition
		other := certificatesv1.RequestConditionType("none")
		switch x.Type {
		case certificatesv1.CertificateApproved:
			statuses, other = trueOnly, certificatesv1.CertificateDenied
		case certificatesv1.CertificateDenied:
			statuses, other = trueOnly, certificatesv1.CertificateApproved
		case certificatesv1.CertificateFailed:
			statuses = trueOnly
		}
		errs.Add(rules.Choice(x.Status, at.Index(i).Child("status"), append([]corev1.ConditionStatus{""}, statuses...)...))
		both := at
		if !r.Release.Has(kubeversion.ExclusiveConditionsPath) {
			both = at.Index(i).Child("type")
		}
		if seen[other] && !mayBeBoth {
			errs.Append(field.Invalid(both, x.Type, "Approved and Denied conditions are mutually exclusive").WithOrigin(rules.Declared))
		}
		if seen[x.Type] && !mayRepeat {
			errs.Duplicate(at.Index(i).Child("type"), x.Type)
		}
		seen[x.Type] = true
	}
	return errs.List()
}

func issuedCertificate(c, old *certificatesv1.CertificateSigningRequest, r rules.Request) field.ErrorList {
	if r.IsBeta() || old != nil && (bytes.Equal(c.Status.Certificate, old.Status.Certificate) || certificates(old.Status.Certificate) != nil) {
		return nil
	}
	if err := certificates(c.Status.Certificate); err != nil {
		return field.ErrorList{field.Invalid(field.NewPath("status", "certificate"), "<certificate data>", err.Error())}
	}
	return nil
}

// certificates returns why a text is not a list of certificates. An empty list is valid.
func certificates(text []byte) error {
	if len(text) == 0 {
		return nil
	}
	n := 0
	for block, rest := pem.Decode(text); block != nil; block, rest = pem.Decode(rest) {
		n++
		if block.Type != "CERTIFICATE" {
			return fmt.Errorf("only CERTIFICATE PEM blocks are allowed, found %q", block.Type)
		}
		if len(block.Headers) > 0 {
			return errors.New("no PEM block headers are permitted")
		}
		certs, err := x509.ParseCertificates(block.Bytes)
		if err != nil {
			return err
		}
		if len(certs) == 0 {
			return errors.New("found CERTIFICATE PEM block containing 0 certificates")
		}
	}
	if n == 0 {
		return errors.New("must contain at least one CERTIFICATE PEM block")
	}
	return nil
}

func validateSigningRequestUpdate(c, old *certificatesv1.CertificateSigningRequest, r rules.Request) field.ErrorList {
	if !r.Release.Has(kubeversion.CertificateConditions) {
		return nil
	}
	at := field.NewPath("status", "conditions")
	var errs rules.Errors
	for _, t := range []certificatesv1.RequestConditionType{certificatesv1.CertificateApproved, certificatesv1.CertificateDenied, certificatesv1.CertificateFailed} {
		after, before := conditionsOf(c.Status.Conditions, t), conditionsOf(old.Status.Conditions, t)
		mayApprove := r.Subresource == "approval" || t == certificatesv1.CertificateFailed
		switch {
		case len(after) < len(before):
			errs.Forbidden(at, fmt.Sprintf("updates may not remove a condition of type %q", t))
		case mayApprove:
		case len(after) > len(before):
			errs.Forbidden(at, fmt.Sprintf("updates may not add a condition of type %q", t))
		case !semantic.DeepEqual(after, before):
			errs.Forbidden(at, fmt.Sprintf("updates may not modify a condition of type %q\n%v", t, rules.InternalDiff(r.Release, before, after)))
		}
	}
	at = field.NewPath("status", "certificate")
	switch {
	case bytes.Equal(c.Status.Certificate, old.Status.Certificate):
	case r.Subresource != "status":
		errs.Forbidden(at, "updates may not set certificate content")
	case len(old.Status.Certificate) > 0 && !r.IsBeta():
		errs.Forbidden(at, "updates may not modify existing certificate content")
	}
	return errs.List()
}
