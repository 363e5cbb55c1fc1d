package scenario

import "github.com/admsim/admsim/internal/manifest"

// An Authorization is how requests are authorized before admission: what the flags of kube-apiserver say of it, and
// what is in the files that they name.
type Authorization struct {
	Modes []string // empty: all requests are allowed

	Policy     []byte // of mode ABAC; nil: none
	PolicyFile string
}

// AuthorizationFlags are those flags.
type AuthorizationFlags struct {
	Modes      []string // --authorization-mode
	PolicyFile string   // --authorization-policy-file
}

// Load reads the files. The error is an [Errors].
func (f AuthorizationFlags) Load(o manifest.Options) (Authorization, error) {
	a := Authorization{Modes: f.Modes, PolicyFile: f.PolicyFile}
	l := manifest.NewLoader(o)
	if f.PolicyFile != "" {
		var err error
		l.Note(f.PolicyFile)
		if a.Policy, err = l.Bytes(f.PolicyFile); err != nil {
			l.Fail(f.PolicyFile, err)
		}
	}
	if len(l.Errs) > 0 {
		return a, l.Errs.Err()
	}
	return a, nil
}
