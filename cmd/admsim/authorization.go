package main

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/admsim/admsim/internal/authorization"
	"github.com/admsim/admsim/internal/scenario"
)

// authorizationFlags say who may send requests.
type authorizationFlags struct {
	scenario.AuthorizationFlags
	loaded scenario.Authorization
}

func (f *authorizationFlags) add(c *cobra.Command) {
	c.Flags().StringSliceVar(&f.Modes, "authorization", nil, "`MODES` that authorize requests before admission, as for kube-apiserver: "+strings.Join(authorization.Modes(), ", ")+" (default: all requests are allowed)")
	c.Flags().StringVar(&f.PolicyFile, "authorization-policy-file", "", "`FILE` with the policies of mode ABAC, a line each, as for kube-apiserver")
	completes(c, "authorization", authorization.Modes())
}

// load reads the files that the flags name.
func (f *authorizationFlags) load(o scenario.Options) (err error) {
	f.loaded, err = f.Load(o)
	return err
}
