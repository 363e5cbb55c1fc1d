package suite

import (
	"slices"

	"github.com/admsim/admsim/internal/redact"
)

// hideSecrets takes the secrets of the objects that a case is about out of what is not as expected.
func (u *unit) hideSecrets() {
	redactor := u.options.Redactor
	if redactor == nil || len(u.result.Failures) == 0 {
		return
	}
	u.result.Failures = slices.Clone(u.result.Failures)
	for i := range u.result.Failures {
		f := &u.result.Failures[i]
		f.Want, f.Got, f.Diff = redact.Credentials(f.Want), redact.Credentials(f.Got), redact.Credentials(f.Diff)
	}
	for _, a := range u.answers {
		if pass := a.secrets(redactor); pass != nil {
			u.result.Failures = redact.Without(pass, u.result.Failures)
		}
	}
}
