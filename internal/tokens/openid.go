package tokens

import (
	"encoding/json"
	"net/url"
	"slices"
)

// The paths of the documents with which clients can verify tokens without asking the API server.
const (
	configurationPath = "/.well-known/openid-configuration"
	keysPath          = "/openid/v1/jwks"
)

// Document returns the document at a path. address is where clients find the server, as host:port. There are no
// documents if the issuer is not a URL that the standard permits:
// kubernetes/kubernetes:pkg/serviceaccount/openidmetadata.go.
func (i *Issuer) Document(path, address string) (contentType string, text []byte, ok bool) {
	u, err := url.Parse(i.issuers[0])
	if err != nil || u.Scheme != "https" || u.RawQuery != "" || u.Fragment != "" {
		return "", nil, false
	}
	switch path {
	case configurationPath:
		text, err = json.Marshal(i.configuration(address))
		return "application/json", text, err == nil
	case keysPath:
		var set struct {
			Keys []webKey `json:"keys"`
		}
		for _, k := range i.keys {
			set.Keys = append(set.Keys, k.webKey())
		}
		text, err = json.Marshal(set)
		return "application/jwk-set+json", text, err == nil
	}
	return "", nil, false
}

// A configuration tells where the keys are, and how tokens are signed.
type configuration struct {
	Issuer        string   `json:"issuer"`
	KeysURL       string   `json:"jwks_uri"`
	ResponseTypes []string `json:"response_types_supported"`
	SubjectTypes  []string `json:"subject_types_supported"`
	SigningAlgs   []string `json:"id_token_signing_alg_values_supported"`
}

func (i *Issuer) configuration(address string) configuration {
	c := configuration{Issuer: i.issuers[0], KeysURL: i.keysURL, ResponseTypes: []string{"id_token"}, SubjectTypes: []string{"public"}}
	if c.KeysURL == "" {
		c.KeysURL = (&url.URL{Scheme: "https", Host: address, Path: keysPath}).String()
	}
	for _, k := range i.keys {
		c.SigningAlgs = append(c.SigningAlgs, k.algorithm)
	}
	slices.Sort(c.SigningAlgs)
	c.SigningAlgs = slices.Compact(c.SigningAlgs)
	return c
}
