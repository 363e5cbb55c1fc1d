// Package credentials reads the certificates, tokens and service account keys that the flags of a kube-apiserver name.
//
// Start with [Read] and [Certificates]. The package does not know what they are used for.
package credentials

import (
	authenticationv1 "k8s.io/api/authentication/v1"

	"github.com/admsim/admsim/internal/envtest/flags"
	"github.com/admsim/admsim/internal/tokens"
)

// Clients holds what flags say about the authentication of clients.
type Clients struct {
	Tokens      map[string]authenticationv1.UserInfo // the users of tokens
	NoAnonymous bool                                 // clients need credentials
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
