package dispatch

import (
	"time"
)

// clientLimit is how long the server's HTTP client waits for one answer whatever else is
// allowed, and what it sends to a webhook without a limit.
const clientLimit = 30 * time.Second

// An allowance is how long a call may take, retries included (W-156).
type allowance struct {
	time  time.Duration
	asked time.Duration // what the webhook gets: whole seconds, rounded up (W-158)
}

// allow returns the allowance of a hook: what it asks for, or what is left of the request
// where that is less.
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

// isOver reports whether the time is up before it began.
func (a allowance) isOver() bool { return a.time <= 0 }
