// kubernetes/kubernetes:pkg/apis/certificates/validation/validation.go
// kubernetes/kubernetes:pkg/registry/certificates/podcertificaterequest/strategy.go

package certificates

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"net/mail"
	"slices"
	"strings"
	"time"

	certificatesv1beta1 "k8s.io/api/certificates/v1beta1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/admsim/admsim/internal/objects/rules"
	"github.com/admsim/admsim/internal/semantic"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// A request for the certificate of a pod is answered once, in its status. Permission to sign is not checked here.
var podCertificateRequest = rules.Of[*certificatesv1beta1.PodCertificateRequest]{
	Name:        rules.DNSSubdomain,
	Declared:    true,
	Status:      func(p *certificatesv1beta1.PodCertificateRequest) any { return &p.Status },
	StatusAlone: true,
	Defaults: func(p *certificatesv1beta1.PodCertificateRequest) {
		rules.SetDefault(&p.Spec.MaxExpirationSeconds, mostLifetimeOfOurs)
	},
	Validate: validatePodCertificate,
	OnUpdate: rules.CheckChange,
	ValidateUpdate: func(p, old *certificatesv1beta1.PodCertificateRequest, r rules.Request) field.ErrorList {
		if r.Subresource == "status" {
			return podCertificateStatus(p, old, r)
		}
		return rules.ImmutableInternal(p.Spec, old.Spec, rules.SpecPath)
	},
}

const (
	maxUID                = 128
	maxKeyMaterial        = 10 * 1024
	maxCertificateChain   = 100 * 1024
	leastLifetime         = 60 * 60
	mostLifetime          = 91 * 24 * 60 * 60
	mostLifetimeOfOurs    = 24 * 60 * 60
	rsaSizes              = "RSA keys must have modulus size 3072 or 4096"
	unknownKey            = "unknown public key type; supported types are Ed25519, ECDSA, and RSA"
	notAPKCS10            = "must be a valid PKCS#10 CSR"
	notAPKIX              = "must be a valid PKIX-serialized public key"
	wrongProof            = "could not verify proof-of-possession signature"
	notOneKey             = "exactly one of (stubPKCS10Request) or (pkixPublicKey, proofOfPossession) must be set"
	notOfTheKey           = "leaf certificate was not issued to the requested public key"
	nothingButCertificate = "issued certificate chain must consist entirely of CERTIFICATE PEM blocks"
)

var (
	pkixPath   = rules.SpecPath.Child("pkixPublicKey")
	proofPath  = rules.SpecPath.Child("proofOfPossession")
	stubPath   = rules.SpecPath.Child("stubPKCS10Request")
	statusPath = field.NewPath("status")
	chainPath  = statusPath.Child("certificateChain")
)

func validatePodCertificate(p *certificatesv1beta1.PodCertificateRequest, r rules.Request) field.ErrorList {
	if r.Old != nil {
		return nil
	}
	s := &p.Spec
	var errs rules.Errors
	errs.Add(rules.SignerName(s.SignerName, rules.SpecPath.Child("signerName")))
	errs.Add(rules.UserAnnotations(s.UnverifiedUserAnnotations, rules.SpecPath.Child("unverifiedUserAnnotations")))
	errs.Add(nameAndUID("pod", s.PodName, s.PodUID))
	errs.Add(nameAndUID("serviceAccount", s.ServiceAccountName, s.ServiceAccountUID))
	errs.Add(nameAndUID("node", s.NodeName, s.NodeUID))
	at := rules.SpecPath.Child("maxExpirationSeconds")
	if s.MaxExpirationSeconds == nil {
		errs.Required(at, "must be set")
		return errs.List()
	}
	most := int32(mostLifetime)
	if rules.IsKubernetesSigner(s.SignerName) {
		most = mostLifetimeOfOurs
	}
	n := *s.MaxExpirationSeconds
	errs.Add(rules.Unless(n >= leastLifetime && n <= most, at, n, fmt.Sprintf("must be in the range [%d, %d]", leastLifetime, most)))
	switch key, proof, stub := len(s.PKIXPublicKey) > 0, len(s.ProofOfPossession) > 0, len(s.StubPKCS10Request) > 0; {
	case !rules.HasField(r.Release, s.OpenAPIModelName(), "stubPKCS10Request"):
		errs.Add(provenKey(s.PKIXPublicKey, s.ProofOfPossession, []byte(s.PodUID)))
	case stub && !key && !proof:
		errs.Add(stubRequest(s.StubPKCS10Request))
	case !stub && key && proof:
		errs.Add(provenKey(s.PKIXPublicKey, s.ProofOfPossession, []byte(s.PodUID)))
	default:
		errs.Invalid(rules.SpecPath, field.OmitValueType{}, notOneKey)
	}
	return errs.List()
}

// nameAndUID checks the name and UID of a pod, its service account or its node.
func nameAndUID[N ~string](of string, name N, uid types.UID) field.ErrorList {
	var errs rules.Errors
	errs.Add(rules.Faults(rules.SpecPath.Child(of+"Name"), name, rules.DNSSubdomain(string(name), false)))
	at := rules.SpecPath.Child(of + "UID")
	errs.Add(rules.Unless(uid != "", at, uid, "must not be empty"))
	if len(uid) > maxUID {
		errs.TooLong(at, uid, maxUID)
	}
	return errs.List()
}

// provenKey checks a key with a proof of possession: the signature of some data.
func provenKey(key, proof, signed []byte) field.ErrorList {
	fault := func(at *field.Path, value any, message string) field.ErrorList {
		return field.ErrorList{field.Invalid(at, value, message)}
	}
	if len(key) > maxKeyMaterial {
		return field.ErrorList{field.TooLong(pkixPath, key, maxKeyMaterial)}
	}
	if len(proof) > maxKeyMaterial {
		return field.ErrorList{field.TooLong(proofPath, proof, maxKeyMaterial)}
	}
	parsed, err := x509.ParsePKIXPublicKey(key)
	if err != nil {
		return fault(pkixPath, key, notAPKIX)
	}
	digest := sha256.Sum256(signed)
	good := false
	switch k := parsed.(type) {
	case ed25519.PublicKey:
		good = ed25519.Verify(k, signed, proof)
	case *ecdsa.PublicKey:
		if !isGoodCurve(k) {
			return fault(pkixPath, "curve "+k.Curve.Params().Name, "elliptic public keys must use curve P256 or P384")
		}
		good = ecdsa.VerifyASN1(k, digest[:], proof)
	case *rsa.PublicKey:
		if !isGoodSize(k) {
			return fault(pkixPath, fmt.Sprintf("%d-bit modulus", k.Size()*8), rsaSizes)
		}
		good = rsa.VerifyPSS(k, crypto.SHA256, digest[:], proof, nil) == nil
	default:
		return fault(pkixPath, key, unknownKey)
	}
	if !good {
		return fault(proofPath, field.OmitValueType{}, wrongProof)
	}
	return nil
}

func isGoodCurve(k *ecdsa.PublicKey) bool {
	return k.Curve == elliptic.P256() || k.Curve == elliptic.P384() || k.Curve == elliptic.P521()
}

func isGoodSize(k *rsa.PublicKey) bool { return k.Size()*8 == 3072 || k.Size()*8 == 4096 }

// stubRequest checks a certificate request that is only used for its key.
func stubRequest(data []byte) field.ErrorList {
	fault := func(value any, message string) field.ErrorList {
		return field.ErrorList{field.Invalid(stubPath, value, message)}
	}
	if len(data) > maxKeyMaterial {
		return field.ErrorList{field.TooLong(stubPath, data, maxKeyMaterial)}
	}
	request, err := x509.ParseCertificateRequest(data)
	if err != nil {
		return fault(field.OmitValueType{}, notAPKCS10)
	}
	switch k := request.PublicKey.(type) {
	case ed25519.PublicKey:
	case *ecdsa.PublicKey:
		if !isGoodCurve(k) {
			return fault("curve "+k.Curve.Params().Name, "elliptic public keys must use curve P256, P384, or P521")
		}
	case *rsa.PublicKey:
		if !isGoodSize(k) {
			return fault(fmt.Sprintf("%d-bit modulus", k.Size()*8), rsaSizes)
		}
	default:
		return fault(field.OmitValueType{}, unknownKey)
	}
	if request.CheckSignature() != nil {
		return fault(field.OmitValueType{}, "invalid signature")
	}
	return nil
}

var ends = []string{certificatesv1beta1.PodCertificateRequestConditionTypeIssued, certificatesv1beta1.PodCertificateRequestConditionTypeDenied, certificatesv1beta1.PodCertificateRequestConditionTypeFailed}

// endOf returns how a request ended, or "" if it has not.
func endOf(p *certificatesv1beta1.PodCertificateRequest) string {
	for _, c := range p.Status.Conditions {
		if c.Status == metav1.ConditionTrue && slices.Contains(ends, c.Type) {
			return c.Type
		}
	}
	return ""
}

func podCertificateStatus(p, old *certificatesv1beta1.PodCertificateRequest, r rules.Request) field.ErrorList {
	if errs := endConditions(r.Release, p.Status.Conditions); len(errs) > 0 {
		return errs
	}
	unchanged := func(want certificatesv1beta1.PodCertificateRequestStatus, message string) field.ErrorList {
		return rules.Unless[any](semantic.DeepEqual(p.Status, want), statusPath, field.OmitValueType{}, message)
	}
	switch end := endOf(p); {
	case endOf(old) != "":
		return unchanged(old.Status, "immutable after PodCertificateRequest is issued, denied, or failed")
	case end == certificatesv1beta1.PodCertificateRequestConditionTypeIssued:
		return issued(p, old, r)
	case end != "":
		return unchanged(certificatesv1beta1.PodCertificateRequestStatus{Conditions: p.Status.Conditions}, "non-condition status fields must be empty when denying or failing the PodCertificateRequest")
	}
	return unchanged(old.Status, `status is immutable unless transitioning to "Issued", "Denied", or "Failed"`)
}

// endConditions allows at most one condition that says how a request ended.
func endConditions(r *kubeversion.Release, conditions []metav1.Condition) field.ErrorList {
	var errs rules.Errors
	known := 0
	for i, c := range conditions {
		at := statusPath.Child("conditions", fmt.Sprintf("[%d]", i))
		if !slices.Contains(ends, c.Type) {
			errs.Append(field.NotSupported(at.Child("type"), c.Type, ends))
			continue
		}
		if known++; known > 1 {
			errs.Invalid(at.Child("type"), c.Type, `There may be at most one condition with type "Issued", "Denied", or "Failed"`)
		}
		if c.Status != metav1.ConditionTrue {
			errs.Append(field.NotSupported(at.Child("status"), c.Status, []metav1.ConditionStatus{metav1.ConditionTrue}))
		}
	}
	errs.Add(rules.Conditions(r, conditions, statusPath.Child("conditions")))
	return errs.List()
}

// issued checks the certificates, the key of the first one, and its validity.
func issued(p, old *certificatesv1beta1.PodCertificateRequest, r rules.Request) field.ErrorList {
	chain := p.Status.CertificateChain
	fault := func(message string) field.ErrorList {
		return field.ErrorList{field.Invalid(chainPath, chain, message)}
	}
	if len(chain) > maxCertificateChain {
		return field.ErrorList{field.TooLong(chainPath, chain, maxCertificateChain)}
	}
	block, rest := pem.Decode([]byte(chain))
	switch {
	case block == nil:
		return fault("issued certificate chain must contain at least one certificate")
	case block.Type != "CERTIFICATE":
		return fault(nothingButCertificate)
	}
	leaf, err := x509.ParseCertificate(block.Bytes)
	if err != nil {
		return fault("leaf certificate does not parse as valid X.509")
	}
	errs := leafNames(leaf)
	wanted, wrong := requestedKey(&old.Spec)
	if len(wrong) > 0 {
		return append(errs, wrong...)
	}
	if k, ok := wanted.(interface{ Equal(crypto.PublicKey) bool }); ok && !k.Equal(leaf.PublicKey) {
		return append(errs, fault(notOfTheKey)...)
	}
	if errs = append(errs, issuedTimes(p, leaf, r.Now, len(errs) > 0)...); len(errs) > 0 {
		return errs
	}
	for block, rest = pem.Decode(rest); block != nil; block, rest = pem.Decode(rest) {
		if block.Type != "CERTIFICATE" {
			return fault("issued certificate chain must consist entirely of CERTFICATE PEM blocks") // the typo is the server's
		}
		if _, err := x509.ParseCertificate(block.Bytes); err != nil {
			return fault("intermediate certificate does not parse as valid X.509")
		}
	}
	return nil
}

func leafNames(leaf *x509.Certificate) field.ErrorList {
	var errs rules.Errors
	for _, name := range leaf.DNSNames {
		errs.Add(rules.Unless(name != "", chainPath, name, "leaf certificate should not contain empty DNSName"))
		errs.Add(rules.Unless(!strings.Contains(name, ".."), chainPath, name, "leaf certificate's DNSName should not contain '..'"))
		errs.Add(rules.Unless(!strings.HasPrefix(name, ".") && !strings.HasSuffix(name, "."), chainPath, name, "leaf certificate's DNSName should not start or end with '.'"))
	}
	for _, address := range leaf.EmailAddresses {
		_, err := mail.ParseAddress(address)
		errs.Add(rules.Unless(err == nil, chainPath, address, "leaf certificate should not contain invalid EmailAddress"))
	}
	return errs.List()
}

func requestedKey(s *certificatesv1beta1.PodCertificateRequestSpec) (crypto.PublicKey, field.ErrorList) {
	if len(s.StubPKCS10Request) == 0 {
		key, err := x509.ParsePKIXPublicKey(s.PKIXPublicKey)
		return key, rules.Unless[any](err == nil, pkixPath, field.OmitValueType{}, notAPKIX)
	}
	request, err := x509.ParseCertificateRequest(s.StubPKCS10Request)
	if err != nil {
		return nil, field.ErrorList{field.Invalid(stubPath, field.OmitValueType{}, notAPKCS10)}
	}
	return request.PublicKey, nil
}

const (
	clockSkew    = 5 * time.Minute
	refreshSlack = 10 * time.Minute
)

// issuedTimes requires the times in the status to be those of the certificate; wrongBefore says whether there already
// was an error.
func issuedTimes(p *certificatesv1beta1.PodCertificateRequest, leaf *x509.Certificate, now time.Time, wrongBefore bool) field.ErrorList {
	s := &p.Status
	from, until, refresh := statusPath.Child("notBefore"), statusPath.Child("notAfter"), statusPath.Child("beginRefreshAt")
	var errs rules.Errors
	if s.NotBefore == nil {
		errs.Required(from, "must be present and consistent with the issued certificate")
	}
	if s.NotAfter == nil {
		errs.Required(until, "must be present and consistent with the issued certificate")
	}
	if s.BeginRefreshAt == nil {
		errs.Required(refresh, "must be present and in the range [notbefore+10min, notafter-10min]")
	}
	if errs.Any() || wrongBefore {
		return errs.List()
	}
	lifetime := leaf.NotAfter.Sub(leaf.NotBefore)
	first := func(at *field.Path, value any, message string) field.ErrorList {
		return field.ErrorList{field.Invalid(at, value, message)}
	}
	switch start, end, renewal := s.NotBefore.Time, s.NotAfter.Time, s.BeginRefreshAt.Time; {
	case !start.Equal(leaf.NotBefore):
		return first(from, start, "must be set to the NotBefore time encoded in the leaf certificate")
	case !start.After(now.Add(-clockSkew)) || !start.Before(now.Add(clockSkew)):
		return first(from, start, "must be set to within 5 minutes of kube-apiserver's current time")
	case !end.Equal(leaf.NotAfter):
		return first(until, end, "must be set to the NotAfter time encoded in the leaf certificate")
	case lifetime < time.Hour:
		return first(chainPath, lifetime, "leaf certificate lifetime must be >= 1 hour")
	case p.Spec.MaxExpirationSeconds != nil && lifetime > time.Duration(*p.Spec.MaxExpirationSeconds)*time.Second:
		return first(chainPath, lifetime, fmt.Sprintf("leaf certificate lifetime must be <= spec.maxExpirationSeconds (%v)", *p.Spec.MaxExpirationSeconds))
	case renewal.Before(start.Add(refreshSlack)):
		return first(refresh, renewal, "must be at least 10 minutes after status.notBefore")
	case renewal.After(end.Add(-refreshSlack)):
		return first(refresh, renewal, "must be at least 10 minutes before status.notAfter")
	}
	return nil
}
