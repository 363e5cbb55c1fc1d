package kubeversion

import "sync"

// 1.15 gave webhooks object selectors, match policies, second rounds and the options of requests, and protected storage
// objects in use by default. Since then, the denial of a mutating webhook has its own status.
var release114 = sync.OnceValue(func() *Release {
	return release115().changed("1.14", func(c change) {
		c.switchedOff("StorageObjectInUseProtection")
	})
})
