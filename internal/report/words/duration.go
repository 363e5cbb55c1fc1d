package words

import (
	"time"
)

// Briefly is a duration with three digits, as every text and page for people has it.
func Briefly(d time.Duration) string { return ThreeDigits(d).String() }

// ThreeDigits is a duration to three digits.
func ThreeDigits(d time.Duration) time.Duration {
	for unit := time.Second; unit > time.Nanosecond; unit /= 1000 {
		if d >= unit {
			return d.Round(unit / 1000 * max(1, digit(d, unit)))
		}
	}
	return d
}

// digit is 1, 10 or 100, so that three digits of d stay.
func digit(d, unit time.Duration) time.Duration {
	switch {
	case d >= 100*unit:
		return 1000
	case d >= 10*unit:
		return 100
	}
	return 10
}

// Took is how long something took; nothing, where it took no time.
func Took(d time.Duration) string {
	if d == 0 {
		return ""
	}
	return Briefly(d)
}
