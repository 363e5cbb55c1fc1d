// Package batch has the rules of Job and CronJob. It follows
// kubernetes/kubernetes:pkg/apis/batch and the strategies of pkg/registry.
package batch

import (
	batchv1 "k8s.io/api/batch/v1"

	"github.com/admsim/admsim/internal/objects/rules"
)

// Kinds returns the kinds of the group.
func Kinds() rules.Kinds {
	return rules.Kinds{
		Hubs: []rules.Kind{
			rules.Hub(batchv1.SchemeGroupVersion, "CronJob", cronJob),
			rules.Hub(batchv1.SchemeGroupVersion, "Job", job),
		},
	}
}
