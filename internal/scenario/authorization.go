package scenario

import (
	"time"

	"github.com/admsim/admsim/internal/manifest"
	"github.com/admsim/admsim/pkg/admission"
)

// An Authorization is how requests are authorized before admission: what the flags of kube-apiserver say of it, and
// what is in the files that they name.
type Authorization struct {
	Modes []string // empty: all requests are allowed
	admission.Authorizers
}

// AuthorizationFlags are those flags. What is in the files is not yet known.
type AuthorizationFlags struct {
	Modes                   []string // --authorization-mode
	PolicyFile, WebhookFile string
	WebhookVersion          string
	AuthorizedTTL           time.Duration // as in [admission.Authorizers]
	UnauthorizedTTL         time.Duration
}

// Load reads the files. The error is an [Errors].
func (f AuthorizationFlags) Load(o manifest.Options) (Authorization, error) {
	a := Authorization{Modes: f.Modes}
	a.WebhookVersion, a.AuthorizedTTL, a.UnauthorizedTTL = f.WebhookVersion, f.AuthorizedTTL, f.UnauthorizedTTL
	l := manifest.NewLoader(o)
	a.Policy, a.PolicyFile = bytesOf(l, f.PolicyFile), f.PolicyFile
	a.Webhook, a.WebhookFile = bytesOf(l, f.WebhookFile), f.WebhookFile
	if len(l.Errs) > 0 {
		return a, l.Errs.Err()
	}
	return a, nil
}

// bytesOf is what is in a file; nil without a name.
func bytesOf(l *manifest.Loader, file string) []byte {
	if file == "" {
		return nil
	}
	l.Note(file)
	data, err := l.Bytes(file)
	if err != nil {
		l.Fail(file, err)
	}
	return data
}
