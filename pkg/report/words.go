package report

import (
	"fmt"
	"strconv"
)

// plural is how many there are of something.
func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%s %ss", thousands(n), what)
}

// thousands is a number as people write large ones.
func thousands(n int) string {
	text := strconv.Itoa(n)
	for i := len(text) - 3; i > 0 && text[i-1] != '-'; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}

// nameOf is the name of a webhook, or of a policy with its binding. A policy that no binding puts into
// force is without one.
func nameOf(configuration, name string) string {
	if name == "" {
		return configuration
	}
	return configuration + "/" + name
}

func join(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + ", " + b
}
