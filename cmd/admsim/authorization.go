package main

import (
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/admsim/admsim/internal/authorization"
	"github.com/admsim/admsim/internal/scenario"
)

// authorizationFlags are the flags that configure how requests are authorized.
type authorizationFlags struct {
	scenario.AuthorizationFlags
	loaded scenario.Authorization
}

func (f *authorizationFlags) add(c *cobra.Command) {
	flags := c.Flags()
	flags.StringSliceVar(&f.Modes, "authorization", nil, "`MODES` that authorize requests before admission, as for kube-apiserver: "+strings.Join(authorization.Modes(), ", ")+" (default: all requests are allowed)")
	flags.StringVar(&f.PolicyFile, "authorization-policy-file", "", "`FILE` with the policies of mode ABAC, one per line, as for kube-apiserver")
	flags.StringVar(&f.WebhookFile, "authorization-webhook-config-file", "", "`FILE` with the kubeconfig of mode Webhook, as for kube-apiserver; backends call it authorization/default")
	flags.StringVar(&f.WebhookVersion, "authorization-webhook-version", "v1beta1", "`VERSION` of the SubjectAccessReviews that this webhook gets, v1 or v1beta1")
	flags.DurationVar(&f.AuthorizedTTL, "authorization-webhook-cache-authorized-ttl", 5*time.Minute, "how long to cache its answers that allow a request; 0: not at all")
	flags.DurationVar(&f.UnauthorizedTTL, "authorization-webhook-cache-unauthorized-ttl", 30*time.Second, "how long to cache its answers that do not allow a request; 0: not at all")
	flags.StringVar(&f.ConfigFile, "authorization-config", "", "`FILE` with an AuthorizationConfiguration, instead of modes, as for kube-apiserver; backends call its webhooks authorization/NAME")
	for _, flag := range []string{"authorization", "authorization-webhook-config-file", "authorization-webhook-version", "authorization-webhook-cache-authorized-ttl", "authorization-webhook-cache-unauthorized-ttl"} {
		c.MarkFlagsMutuallyExclusive("authorization-config", flag)
	}
	setCompletions(c, "authorization", authorization.Modes())
	setCompletions(c, "authorization-webhook-version", []string{"v1", "v1beta1"})
}

// load reads the files that the flags name.
func (f *authorizationFlags) load(o scenario.Options) (err error) {
	f.loaded, err = f.Load(o)
	if f.ConfigFile != "" { // it replaces these flags
		f.loaded.WebhookVersion, f.loaded.AuthorizedTTL, f.loaded.UnauthorizedTTL = "", 0, 0
		return err
	}
	for _, ttl := range []*time.Duration{&f.loaded.AuthorizedTTL, &f.loaded.UnauthorizedTTL} {
		if *ttl == 0 { // for a Go user, 0 stands for the default
			*ttl = -1
		}
	}
	return err
}
