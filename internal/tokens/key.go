package tokens

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	_ "crypto/sha256" // for signatures
	_ "crypto/sha512"
	"crypto/x509"
	"encoding/base64"
	"errors"
	"fmt"
	"math/big"
)

// A key signs tokens, or only verifies them.
type key struct {
	id        string
	algorithm string
	hash      crypto.Hash
	public    crypto.PublicKey
	private   crypto.Signer // nil for a key that only verifies
}

// newKey returns the key for a public key, with the names that JWTs use:
// kubernetes/kubernetes:pkg/serviceaccount/jwt.go.
func newKey(public crypto.PublicKey) (*key, error) {
	k := &key{public: public, hash: crypto.SHA256}
	switch p := public.(type) {
	case *rsa.PublicKey:
		k.algorithm = "RS256"
	case *ecdsa.PublicKey:
		switch p.Curve {
		case elliptic.P256():
			k.algorithm = "ES256"
		case elliptic.P384():
			k.algorithm, k.hash = "ES384", crypto.SHA384
		case elliptic.P521():
			k.algorithm, k.hash = "ES512", crypto.SHA512
		default:
			return nil, errors.New("a key for tokens is of a curve that is none of P-256, P-384 and P-521")
		}
	default:
		return nil, fmt.Errorf("a key for tokens is a %T, want one of RSA or ECDSA", public)
	}
	der, err := x509.MarshalPKIXPublicKey(public)
	if err != nil {
		return nil, err
	}
	h := crypto.SHA256.New()
	h.Write(der)
	k.id = encoded(h.Sum(nil))
	return k, nil
}

func encoded(data []byte) string { return base64.RawURLEncoding.EncodeToString(data) }

// size returns the size in bytes of a number in a signature or key of a curve.
func size(p *ecdsa.PublicKey) int { return (p.Curve.Params().BitSize + 7) / 8 }

func (k *key) digest(text string) []byte {
	h := k.hash.New()
	h.Write([]byte(text))
	return h.Sum(nil)
}

// sign returns the signature of a JWT.
func (k *key) sign(text string) ([]byte, error) {
	private, ok := k.private.(*ecdsa.PrivateKey)
	if !ok {
		return k.private.Sign(rand.Reader, k.digest(text), k.hash)
	}
	r, s, err := ecdsa.Sign(rand.Reader, private, k.digest(text))
	if err != nil {
		return nil, err
	}
	n := size(&private.PublicKey)
	signature := make([]byte, 2*n)
	r.FillBytes(signature[:n])
	s.FillBytes(signature[n:])
	return signature, nil
}

// verify reports whether the key made the signature of a JWT.
func (k *key) verify(text string, signature []byte) bool {
	switch p := k.public.(type) {
	case *rsa.PublicKey:
		return rsa.VerifyPKCS1v15(p, k.hash, k.digest(text), signature) == nil
	case *ecdsa.PublicKey:
		n := size(p)
		return len(signature) == 2*n &&
			ecdsa.Verify(p, k.digest(text), new(big.Int).SetBytes(signature[:n]), new(big.Int).SetBytes(signature[n:]))
	}
	return false
}

// A webKey is a public key in a JSON Web Key Set.
type webKey struct {
	Use       string `json:"use"`
	Type      string `json:"kty"`
	ID        string `json:"kid"`
	Curve     string `json:"crv,omitempty"`
	Algorithm string `json:"alg"`
	N         string `json:"n,omitempty"`
	E         string `json:"e,omitempty"`
	X         string `json:"x,omitempty"`
	Y         string `json:"y,omitempty"`
}

func (k *key) webKey() webKey {
	w := webKey{Use: "sig", ID: k.id, Algorithm: k.algorithm}
	switch p := k.public.(type) {
	case *rsa.PublicKey:
		w.Type, w.N, w.E = "RSA", encoded(p.N.Bytes()), encoded(big.NewInt(int64(p.E)).Bytes())
	case *ecdsa.PublicKey:
		w.Type, w.Curve = "EC", p.Curve.Params().Name
		if point, err := p.Bytes(); err == nil { // 4, x, y
			n := size(p)
			w.X, w.Y = encoded(point[1:1+n]), encoded(point[1+n:])
		}
	}
	return w
}
