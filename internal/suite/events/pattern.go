package events

import (
	"path"
	"strings"
)

// NamesPolicy reports whether a pattern names a policy, by its own name or policy/binding.
func NamesPolicy(pattern, policy, binding string) bool {
	if strings.Contains(pattern, "/") {
		return matches(pattern, policy+"/"+binding)
	}
	return matches(pattern, policy)
}

// NamesBinding reports whether a pattern names the binding of a policy.
func NamesBinding(pattern, binding string) bool { return matches(pattern, binding) }

func matches(pattern, name string) bool {
	ok, err := path.Match(pattern, name)
	return ok && err == nil
}
