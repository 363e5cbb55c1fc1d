package worlds

import (
	"errors"
	"fmt"

	"github.com/admsim/admsim/pkg/dispatch"
	"github.com/admsim/admsim/pkg/simulator"
	"github.com/admsim/admsim/pkg/trace"
)

// Credentials returns the credentials for calling webhooks in the configuration of the two webhook plugins.
func Credentials(configured simulator.Plugins) (map[trace.Phase]*dispatch.Credentials, error) {
	all := map[trace.Phase]*dispatch.Credentials{}
	var wrong []error
	for _, phase := range []trace.Phase{trace.Mutating, trace.Validating} {
		plugin := "MutatingAdmissionWebhook"
		if phase == trace.Validating {
			plugin = "ValidatingAdmissionWebhook"
		}
		credentials, err := dispatch.ParseWebhookAdmission(configured.Configuration[plugin])
		if err != nil {
			err = fmt.Errorf("configuration of %s: %w", plugin, err)
			if configured.Located != nil {
				err = configured.Located(plugin, err)
			}
			wrong = append(wrong, err)
		}
		all[phase] = credentials
	}
	return all, errors.Join(wrong...)
}
