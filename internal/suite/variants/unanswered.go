package variants

import (
	"errors"
	"fmt"

	"github.com/admsim/admsim/internal/scenario"
	"github.com/admsim/admsim/pkg/dispatch"
)

// Hinted adds a hint to an error about a webhook without a backend, or whose backend cannot answer.
func Hinted(err error, c *scenario.Case) error {
	var answer *dispatch.NoAnswerError
	var nobody *dispatch.NoBackendError
	if !errors.As(err, &answer) {
		return err
	}
	if declared := (*scenario.Error)(nil); errors.As(answer.Err, &declared) { // the backend at fault is known
		return &scenario.Error{Source: declared.Source, Message: answer.Error(), Hint: declared.Hint, Err: err}
	}
	if !errors.As(err, &nobody) {
		return err
	}
	hint := fmt.Sprintf("say in the suite who answers: backends: [{webhook: %s, mock: [{allowed: true}]}]; or --allow-unmatched lets it allow everything", answer.Webhook)
	if meant := answer.Meant(); meant != "" {
		hint = meant
	}
	return &scenario.Error{Source: c.Source, Message: answer.Error(), Hint: hint, Err: err}
}
