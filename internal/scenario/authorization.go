package scenario

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/admsim/admsim/internal/manifest"
	"github.com/admsim/admsim/pkg/admission"
)

// An Authorization says how requests are authorized before admission: the flags of kube-apiserver for it, and the
// contents of the files that they name.
type Authorization struct {
	Modes []string // empty: all requests are allowed
	admission.Authorizers
}

// AuthorizationFlags are those flags, with the files not yet read.
type AuthorizationFlags struct {
	Modes                   []string // --authorization-mode
	PolicyFile, WebhookFile string
	ConfigFile              string // --authorization-config
	WebhookVersion          string
	AuthorizedTTL           time.Duration // as in [admission.Authorizers]
	UnauthorizedTTL         time.Duration
}

// AreGiven reports whether requests are authorized.
func (a Authorization) AreGiven() bool { return len(a.Modes) > 0 || a.Config != nil }

// Load reads the files. The error is an [Errors].
func (f AuthorizationFlags) Load(o manifest.Options) (Authorization, error) {
	a := Authorization{Modes: f.Modes}
	a.WebhookVersion, a.AuthorizedTTL, a.UnauthorizedTTL = f.WebhookVersion, f.AuthorizedTTL, f.UnauthorizedTTL
	l := manifest.NewLoader(o)
	a.Policy, a.PolicyFile = bytesOf(l, f.PolicyFile), f.PolicyFile
	a.Webhook, a.WebhookFile = bytesOf(l, f.WebhookFile), f.WebhookFile
	if f.ConfigFile != "" {
		l.Errs = append(l.Errs, readConfig(f.ConfigFile, o, &a)...)
	}
	if len(l.Errs) > 0 {
		return a, l.Errs.Err()
	}
	return a, nil
}

// readConfig reads an AuthorizationConfiguration, and embeds the kubeconfigs that it names. Other errors in it are
// reported when it is decoded.
func readConfig(file string, o manifest.Options, a *Authorization) manifest.Errors {
	n := namingFile(file, o)
	d, ok := n.document(file)
	if !ok {
		return n.Errs
	}
	n.In = cmp.Or(n.Root, n.Within) // for the files that it names
	at := positionsIn(d)
	whole, _ := d.Value.(map[string]any)
	all, _ := whole["authorizers"].([]any)
	for i, one := range all {
		authorizer, _ := one.(map[string]any)
		webhook, _ := authorizer["webhook"].(map[string]any)
		info, _ := webhook["connectionInfo"].(map[string]any)
		if tried, ok := n.kubeconfig(info, file); !ok && path.IsAbs(tried[0]) {
			n.Errs.Add(at(fmt.Sprintf("authorizers[%d].webhook.connectionInfo.kubeConfigFile", i)), confinedHint,
				"the kubeconfig does not exist: %s", strings.Join(tried, ", "))
		}
	}
	if len(n.Errs) > 0 {
		return n.Errs
	}
	a.Config = manifest.Encode(d.Value)
	a.Located = func(err error) error {
		_, located := locatedAt(func(field string) manifest.Source { return at(ofWebhook(field)) }, "", err)
		return located
	}
	return nil
}

// ofWebhook returns the path of a field as it is written: validation leaves out the part webhook.
func ofWebhook(field string) string {
	parts := strings.SplitN(field, ".", 2)
	if len(parts) < 2 || slices.Contains([]string{"type", "name", "webhook"}, strings.SplitN(parts[1], ".", 2)[0]) {
		return field
	}
	return parts[0] + ".webhook." + parts[1]
}

// bytesOf returns the contents of a file; nil without a name.
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
