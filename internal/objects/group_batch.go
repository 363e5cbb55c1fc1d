package objects

import (
	batchv1 "k8s.io/api/batch/v1"
)

// batchGroup is what the server has of the group.
func batchGroup() Group {
	return Group{
		Kinds: []*entry{
			hub(batchv1.SchemeGroupVersion, "CronJob", cronJob),
			hub(batchv1.SchemeGroupVersion, "Job", job),
		},
	}
}
