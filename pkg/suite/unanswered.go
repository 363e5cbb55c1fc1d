package suite

import (
	"errors"
	"fmt"
	"strings"

	"github.com/admsim/admsim/internal/didyoumean"
	"github.com/admsim/admsim/pkg/dispatch"
	"github.com/admsim/admsim/pkg/scenario"
)

// hinted says of a webhook that nobody answers for, or whose backend cannot, what to do about it.
func hinted(err error, c *scenario.Case) error {
	var answer *dispatch.NoAnswerError
	var nobody *dispatch.NoBackendError
	if !errors.As(err, &answer) {
		return err
	}
	if declared := (*scenario.Error)(nil); errors.As(answer.Err, &declared) { // it is known which backend is wrong
		return &scenario.Error{Source: declared.Source, Message: answer.Error(), Hint: declared.Hint, Err: err}
	}
	if !errors.As(err, &nobody) {
		return err
	}
	known := map[string][]string{answer.Webhook: nobody.Known}
	for _, name := range nobody.Known {
		if strings.Contains(name, "/") {
			full := answer.Configuration + "/" + answer.Webhook
			known[full] = append(known[full], name)
		}
	}
	hint := fmt.Sprintf("say under backends who answers: webhook: %s; or --allow-unmatched lets it allow everything", answer.Webhook)
	for _, called := range sorted(known) {
		if near := didyoumean.Nearest(called, known[called]); near != "" {
			hint = fmt.Sprintf("there is a backend of %q: did you mean that one?", near)
			break
		}
	}
	return &scenario.Error{Source: c.Source, Message: answer.Error(), Hint: hint, Err: err}
}
