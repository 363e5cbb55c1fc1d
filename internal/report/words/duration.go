package words

import (
	"time"
)

// Briefly returns a duration with three digits, as all texts and pages for people show it.
func Briefly(d time.Duration) string { return ThreeDigits(d).String() }

// ThreeDigits rounds a duration to three digits.
func ThreeDigits(d time.Duration) time.Duration {
	for unit := time.Second; unit > time.Nanosecond; unit /= 1000 {
		if d >= unit {
			return d.Round(unit / 1000 * max(1, digit(d, unit)))
		}
	}
	return d
}

// digit returns 1, 10 or 100, so that d keeps three digits.
func digit(d, unit time.Duration) time.Duration {
	switch {
	case d >= 100*unit:
		return 1000
	case d >= 10*unit:
		return 100
	}
	return 10
}

// Took returns how long something took; it is empty if that took no time.
func Took(d time.Duration) string {
	if d == 0 {
		return ""
	}
	return Briefly(d)
}
