package expect

import (
	"slices"

	"github.com/admsim/admsim/internal/redact"
)

// HideSecrets removes the secrets of the objects in the answers from the failures of the case.
func (j *Judge) HideSecrets(answers []Answer) {
	if j.Redactor == nil || len(j.Case.Failures) == 0 {
		return
	}
	j.Case.Failures = slices.Clone(j.Case.Failures)
	for i := range j.Case.Failures {
		f := &j.Case.Failures[i]
		f.Want, f.Got, f.Diff = redact.Credentials(f.Want), redact.Credentials(f.Got), redact.Credentials(f.Diff)
	}
	for _, a := range answers {
		if pass := a.secrets(j.Redactor); pass != nil {
			j.Case.Failures = redact.Without(pass, j.Case.Failures)
		}
	}
}
