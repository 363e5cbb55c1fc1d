// kubernetes/kubernetes:pkg/apis/core/v1/defaults.go
// kubernetes/kubernetes:pkg/util/parsers/parsers.go

// Package image knows the default imagePullPolicy of an image.
package image

import (
	"regexp"
	"strings"
	"sync"

	corev1 "k8s.io/api/core/v1"
)

// PullPolicy returns the default pull policy of an image: always, if its tag is latest or it has neither tag nor
// digest. Invalid images are left to the kubelet.
func PullPolicy(image string) corev1.PullPolicy {
	// Only if the tag may be latest does it matter whether the rest is a valid image.
	name, _, hasDigest := strings.Cut(image[strings.LastIndexByte(image, '/')+1:], "@")
	if _, tag, hasTag := strings.Cut(name, ":"); hasTag && tag != "latest" || hasDigest && !hasTag {
		return corev1.PullIfNotPresent
	}
	if tag, ok := tagOf(image); ok && tag == "latest" {
		return corev1.PullAlways
	}
	return corev1.PullIfNotPresent
}

// tagOf returns the tag of an image: latest if it has neither tag nor digest, and "" if it has only a digest. The
// names of images follow distribution/reference:normalize.go.
func tagOf(image string) (tag string, ok bool) {
	m := pattern().FindStringSubmatch(image)
	if m == nil || isImageID(image) {
		return "", false
	}
	domain, path, tag, digest := m[1], m[2], m[3], m[4]
	if domain != "" && !isDomain(domain) {
		path = domain + "/" + path
	}
	length := len(path)
	if isHub := domain == "" || domain == "docker.io" || domain == "index.docker.io"; isHub && !strings.Contains(path, "/") {
		length += len("library/") // such an image is in library/
	}
	if path != strings.ToLower(path) || length > 255 || digest != "" && !isDigest(digest) {
		return "", false
	}
	if tag == "" && digest == "" {
		tag = "latest"
	}
	return tag, true
}

// pattern matches [domain/]path[:tag][@digest].
var pattern = sync.OnceValue(func() *regexp.Regexp {
	const (
		label     = `(?:[a-zA-Z0-9]|[a-zA-Z0-9][a-zA-Z0-9-]*[a-zA-Z0-9])`
		host      = `(?:` + label + `(?:\.` + label + `)*|\[(?:[a-fA-F0-9:]+)\])`
		domain    = host + `(?::[0-9]+)?`
		component = `[a-z0-9]+(?:(?:[._]|__|[-]+)[a-z0-9]+)*`
		path      = component + `(?:/` + component + `)*`
		tag       = `[\w][\w.-]{0,127}`
		digest    = `[A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*:[[:xdigit:]]{32,}`
	)
	return regexp.MustCompile(`^(?:(` + domain + `)/)?(` + path + `)(?::(` + tag + `))?(?:@(` + digest + `))?$`)
})

// isDomain reports whether the first part of a name is a registry and not part of a path.
func isDomain(s string) bool {
	return strings.ContainsAny(s, ".:") || s == "localhost" || s != strings.ToLower(s)
}

func isImageID(s string) bool { return len(s) == 64 && isLowerHex(s) }

func isDigest(s string) bool {
	algorithm, sum, _ := strings.Cut(s, ":")
	length := map[string]int{"sha256": 64, "sha384": 96, "sha512": 128}[algorithm]
	return length == len(sum) && isLowerHex(sum)
}

func isLowerHex(s string) bool {
	return strings.Trim(s, "0123456789abcdef") == ""
}
