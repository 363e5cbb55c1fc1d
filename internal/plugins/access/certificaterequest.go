package access

import (
	"crypto/x509"
	"encoding/pem"
	"errors"
)

// parseCertificateRequest reads the certificate request in the first block of a PEM file.
func parseCertificateRequest(text []byte) (*x509.CertificateRequest, error) {
	block, _ := pem.Decode(text)
	if block == nil || block.Type != "CERTIFICATE REQUEST" {
		return nil, errors.New("PEM block type must be CERTIFICATE REQUEST")
	}
	return x509.ParseCertificateRequest(block.Bytes)
}
