package main

import (
	"fmt"
	"regexp"
	"strings"
)

// selectCases makes of a regular expression what go test makes of it: its parts between
// slashes are each for a part of the name suite/case. Nil, for an empty one, selects all.
func selectCases(expression string) (func(suite, name string) bool, error) {
	if expression == "" {
		return nil, nil
	}
	var parts []*regexp.Regexp
	for _, part := range splitAtSlashes(expression) {
		compiled, err := regexp.Compile(part)
		if err != nil {
			return nil, hinted(fmt.Errorf("--run: %w", err), `brackets in names need backslashes: --run 'pods/outage\[fault=timeout\]'`)
		}
		parts = append(parts, compiled)
	}
	return func(suite, name string) bool {
		names := append([]string{suite}, strings.SplitN(name, "/", max(len(parts)-1, 1))...)
		for i, part := range parts {
			if i >= len(names) || !part.MatchString(names[i]) {
				return false
			}
		}
		return true
	}, nil
}

// splitAtSlashes splits an expression at the slashes that are in no brackets.
func splitAtSlashes(expression string) []string {
	var parts []string
	depth, start := 0, 0
	for i := 0; i < len(expression); i++ {
		switch expression[i] {
		case '\\':
			i++
		case '[', '(':
			depth++
		case ']', ')':
			depth--
		case '/':
			if depth <= 0 {
				parts = append(parts, expression[start:i])
				start = i + 1
			}
		}
	}
	return append(parts, expression[start:])
}
