package dispatch

import (
	"time"
)

// clientLimit is how long the server's HTTP client waits for one answer in any case, and what it sends to a webhook
// without a limit.
const clientLimit = 30 * time.Second

// Limit is how long one answer of the webhook may take if the request has enough time: without a timeout of its own, as
// in releases in which it has none, the time of the client (W-333).
func (h Hook) Limit() time.Duration {
	if h.TimeoutSeconds == nil {
		return clientLimit
	}
	return time.Duration(*h.TimeoutSeconds) * time.Second
}

// An allowance is how long a call may take, including retries (W-156).
type allowance struct {
	time  time.Duration
	asked time.Duration // what the webhook is told: whole seconds, rounded up (W-158)
}

// allow returns the allowance of a hook: its own timeout, or the remaining time of the request if that is shorter.
func allow(seconds *int32, left time.Duration, limited bool) allowance {
	a := allowance{time: clientLimit}
	if seconds != nil {
		a.time = time.Duration(*seconds) * time.Second
	}
	if limited && (seconds == nil || left < a.time) {
		a.time = left
	}
	a.asked = a.time.Truncate(time.Second)
	if a.asked < a.time {
		a.asked += time.Second
	}
	return a
}

// isOver reports whether the time is up before the call begins.
func (a allowance) isOver() bool { return a.time <= 0 }
