package dispatch

import (
	"errors"
	"net/url"
	"regexp"
	"strconv"
	"strings"

	"github.com/admsim/admsim/pkg/kubeversion"
)

// Go's messages about connections, today and in the Go versions of earlier releases.
const (
	verification     = "tls: failed to verify certificate: "
	fromPeer         = "; received from peer" // in errors of HTTP/2
	useNames         = "use SANs instead"
	useNamesOrSwitch = "use SANs or temporarily enable Common Name matching with GODEBUG=x509ignoreCN=0"
)

// expiry matches what Go's message about an expired certificate says about it.
var expiry = regexp.MustCompile(`(certificate has expired or is not yet valid): current time \S+ is (?:after|before) \S+`)

// A wordedError is an error with the message of a release.
type wordedError struct {
	error
	text string
}

func (e *wordedError) Error() string { return e.text }
func (e *wordedError) Unwrap() error { return e.error }

// worded returns the error of a failed call with the message of the release, or with that of the newest one if r is nil.
func worded(err error, r *kubeversion.Release) error {
	if r == nil || r.Has(kubeversion.VerificationNamed) {
		return err
	}
	text := strings.Replace(err.Error(), verification, "", 1)
	if !r.Has(kubeversion.CommonNamesIgnored) {
		text = strings.Replace(text, useNames, useNamesOrSwitch, 1)
	}
	if !r.Has(kubeversion.StreamErrorsOfPeers) {
		text = strings.Replace(text, fromPeer, "", 1)
	}
	if !r.Has(kubeversion.ExpiryExplained) {
		text = expiry.ReplaceAllString(text, "$1")
	}
	if posted := (*url.Error)(nil); errors.As(err, &posted) && !r.Has(kubeversion.QuotedURLs) {
		text = strings.Replace(text, strconv.Quote(posted.URL), posted.URL, 1)
	}
	if text == err.Error() {
		return err
	}
	return &wordedError{err, text}
}
