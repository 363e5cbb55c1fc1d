package credentials

import (
	"crypto"
	"fmt"

	"k8s.io/client-go/util/keyutil"

	"github.com/admsim/admsim/internal/envtest/flags"
	"github.com/admsim/admsim/internal/tokens"
)

// issuer reads the issuer and the keys of service account tokens:
// kubernetes/kubernetes:pkg/kubeapiserver/options/authentication.go.
func issuer(given *flags.Given) (o tokens.Options, err error) {
	o.Issuers, o.Audiences = given.All("service-account-issuer"), given.List("api-audiences")
	if len(o.Audiences) == 0 {
		o.Audiences = o.Issuers
	}
	o.KeysURL = given.One("service-account-jwks-uri", "")
	if file := given.One("service-account-signing-key-file", ""); file != "" {
		private, err := keyutil.PrivateKeyFromFile(file)
		if err != nil {
			return o, fmt.Errorf("--service-account-signing-key-file: %w", err)
		}
		signer, ok := private.(crypto.Signer)
		if !ok {
			return o, fmt.Errorf("--service-account-signing-key-file: %s: a %T cannot sign", file, private)
		}
		o.Key = signer
	}
	for _, file := range given.All("service-account-key-file") {
		keys, err := keyutil.PublicKeysFromFile(file)
		if err != nil {
			return o, fmt.Errorf("--service-account-key-file: %w", err)
		}
		for _, one := range keys {
			o.Keys = append(o.Keys, one)
		}
	}
	return o, nil
}
