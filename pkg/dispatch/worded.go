package dispatch

import (
	"errors"
	"net/url"
	"strconv"
	"strings"

	"github.com/admsim/admsim/pkg/kubeversion"
)

// What Go says of connections today, and said when other releases came out.
const (
	verification     = "tls: failed to verify certificate: "
	useNames         = "use SANs instead"
	useNamesOrSwitch = "use SANs or temporarily enable Common Name matching with GODEBUG=x509ignoreCN=0"
)

// A wordedError is an error in the words of a release.
type wordedError struct {
	error
	text string
}

func (e *wordedError) Error() string { return e.text }
func (e *wordedError) Unwrap() error { return e.error }

// worded is what the release says of a call that failed. A call without a review, such as one
// for a conversion, speaks as of today.
func (r *Review) worded(err error) error {
	if r == nil || r.Release == nil || r.Release.Has(kubeversion.VerificationNamed) {
		return err
	}
	text := strings.Replace(err.Error(), verification, "", 1)
	if !r.Release.Has(kubeversion.CommonNamesIgnored) {
		text = strings.Replace(text, useNames, useNamesOrSwitch, 1)
	}
	if posted := (*url.Error)(nil); errors.As(err, &posted) && !r.Release.Has(kubeversion.QuotedURLs) {
		text = strings.Replace(text, strconv.Quote(posted.URL), posted.URL, 1)
	}
	if text == err.Error() {
		return err
	}
	return &wordedError{err, text}
}
