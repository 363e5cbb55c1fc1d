package objects

import (
	batchv1 "k8s.io/api/batch/v1"
)

// batchKinds are those of the group.
func batchKinds() Kinds {
	return Kinds{
		Hubs: []*entry{
			hub(batchv1.SchemeGroupVersion, "CronJob", cronJob),
			hub(batchv1.SchemeGroupVersion, "Job", job),
		},
	}
}
