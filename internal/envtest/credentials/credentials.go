// Package credentials reads what the flags of a kube-apiserver name about who it is and whom it knows: certificates,
// tokens, and the keys of service accounts.
//
// Start with [Read] and [Certificates]. What is done with them is not known here.
package credentials

import (
	authenticationv1 "k8s.io/api/authentication/v1"

	"github.com/admsim/admsim/internal/envtest/flags"
	"github.com/admsim/admsim/internal/tokens"
)

// Clients are what flags say about who gets in.
type Clients struct {
	Tokens      map[string]authenticationv1.UserInfo // bearers of these, and who they are
	NoAnonymous bool                                 // nobody gets in without credentials
	Issuer      tokens.Options                       // of the tokens of service accounts
}

// Read reads the tokens and keys that flags name.
func Read(given *flags.Given) (c Clients, err error) {
	if c.Issuer, err = issuer(given); err != nil {
		return c, err
	}
	c.Tokens, err = readTokens(given.One("token-auth-file", ""))
	return c, err
}
