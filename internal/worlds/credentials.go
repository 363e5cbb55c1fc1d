package worlds

import (
	"fmt"

	"github.com/admsim/admsim/pkg/dispatch"
	"github.com/admsim/admsim/pkg/trace"
)

// Credentials returns the credentials for calling webhooks in the configuration of the two webhook plugins, as read by
// [scenario.LoadAdmissionConfiguration].
func Credentials(configuration map[string][]byte) (map[trace.Phase]*dispatch.Credentials, error) {
	all := map[trace.Phase]*dispatch.Credentials{}
	for phase, plugin := range map[trace.Phase]string{
		trace.Mutating:   "MutatingAdmissionWebhook",
		trace.Validating: "ValidatingAdmissionWebhook",
	} {
		credentials, err := dispatch.ParseWebhookAdmission(configuration[plugin])
		if err != nil {
			return nil, fmt.Errorf("the configuration of %s: %w", plugin, err)
		}
		all[phase] = credentials
	}
	return all, nil
}
