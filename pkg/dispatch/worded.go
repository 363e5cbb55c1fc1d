package dispatch

import (
	"errors"
	"net/url"
	"strconv"
	"strings"
)

// What Go said of connections when a release came out, by which its messages differ from those
// of today: URLs in quotes since Go 1.14, who could not be verified since Go 1.20, and what to do
// about certificates without names since Go 1.17.
const (
	quotedURLs       = 19
	namedHandshakes  = 27
	noCommonNames    = 23
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
	if r == nil || r.Release == nil || r.Release.AtLeast(namedHandshakes) {
		return err
	}
	text := strings.Replace(err.Error(), verification, "", 1)
	if !r.Release.AtLeast(noCommonNames) {
		text = strings.Replace(text, useNames, useNamesOrSwitch, 1)
	}
	if posted := (*url.Error)(nil); errors.As(err, &posted) && !r.Release.AtLeast(quotedURLs) {
		text = strings.Replace(text, strconv.Quote(posted.URL), posted.URL, 1)
	}
	if text == err.Error() {
		return err
	}
	return &wordedError{err, text}
}
