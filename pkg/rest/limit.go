package rest

import "time"

// Limit is for how long the server lets r run, and the webhooks in it.
func Limit(r Request) time.Duration { return limitOf(r) }
