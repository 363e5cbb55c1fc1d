package redact

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// A Path names values in objects.
type Path struct {
	kind  string
	steps []step
}

// Kind returns the kind of the objects; empty: any kind.
func (p Path) Kind() string { return p.kind }

// A step leads from a value to one of its parts.
type step struct {
	key string // of a map, or the index of a list
	any bool   // every part
}

func (s step) matches(key string) bool { return s.any || s.key == key }

// A kind comes first, then one step at a time.
var (
	kindPrefix = regexp.MustCompile(`^([A-Za-z][A-Za-z0-9]*):`)
	oneStep    = regexp.MustCompile(`^(?:\.?\*|\.?([A-Za-z0-9_-]+)|\[\*\]|\[(\d+)\]|\[(?:'([^']*)'|"([^"]*)")\])`)
)

// ParsePath parses a path such as
//
//	spec.containers[*].env[*].value
//	ConfigMap:data['db.password']
//	Pod:metadata.annotations.*
//
// An optional kind comes first. A name, or any text in brackets and quotes, is a key; a number in brackets is an index;
// * is every part. Everything below the end of the path is redacted. The syntax is kubectl's JSONPath without filters;
// braces around it and a dot or $ at the beginning are optional.
func ParsePath(text string) (Path, error) {
	var p Path
	rest := strings.TrimSpace(text)
	if found := kindPrefix.FindStringSubmatch(rest); found != nil {
		p.kind, rest = found[1], rest[len(found[0]):]
	}
	if strings.HasPrefix(rest, "{") && strings.HasSuffix(rest, "}") {
		rest = rest[1 : len(rest)-1]
	}
	rest = strings.TrimPrefix(rest, "$")
	for rest != "" {
		found := oneStep.FindStringSubmatch(rest)
		if found == nil {
			return Path{}, fmt.Errorf("path %q: %q is not understood", text, rest)
		}
		s := step{key: found[1] + found[3] + found[4], any: strings.Contains(found[0], "*") && found[3]+found[4] == ""}
		if found[2] != "" {
			n, err := strconv.Atoi(found[2])
			if err != nil {
				return Path{}, fmt.Errorf("path %q: %w", text, err)
			}
			s.key = strconv.Itoa(n)
		}
		p.steps = append(p.steps, s)
		rest = rest[len(found[0]):]
	}
	if len(p.steps) == 0 {
		return Path{}, fmt.Errorf("path %q names nothing", text)
	}
	return p, nil
}
