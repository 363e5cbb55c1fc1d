package kubeversion

import "sync"

// 1.15 gave webhooks object selectors, match policies, second rounds and the options of requests, and protected
// storage objects in use by default. A mutating webhook's denial is its own status since then.
var release114 = sync.OnceValue(func() *Release {
	return release115().changed("1.14", func(c change) {
		c.switchedOff("StorageObjectInUseProtection")
	})
})
