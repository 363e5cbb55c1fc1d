package image

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
)

// An image is always pulled if it is valid and its tag is latest. This agrees with the pattern, including the images
// for which PullPolicy does not use it.
func TestPullPolicy(t *testing.T) {
	digest := "sha256:" + strings.Repeat("a", 64)
	var images []string
	for _, domain := range []string{"", "localhost/", "localhost:5000/", "registry.example:latest/", "[::1]:80/", "A/", "-/", "//"} {
		for _, path := range []string{"", "web", "a/b", "a/latest", "UPPER", "web_", strings.Repeat("a/", 130) + "a", digest[7:]} {
			for _, tag := range []string{"", ":", ":1", ":latest", ":latest:1", ":1:latest", ":LATEST", ":.latest", ":latest "} {
				for _, at := range []string{"", "@", "@" + digest, "@sha256:1", "@latest", ":latest@" + digest} {
					images = append(images, domain+path+tag+at)
				}
			}
		}
	}
	for _, image := range images {
		want := corev1.PullIfNotPresent
		if tag, ok := tagOf(image); ok && tag == "latest" {
			want = corev1.PullAlways
		}
		if got := PullPolicy(image); got != want {
			t.Errorf("%q is pulled %s, want %s", image, got, want)
		}
	}
	for image, want := range map[string]corev1.PullPolicy{
		"nginx": corev1.PullAlways, "nginx:latest": corev1.PullAlways, "a.example:5000/nginx": corev1.PullAlways,
		strings.Repeat("a", 247): corev1.PullAlways, strings.Repeat("a", 248): corev1.PullIfNotPresent, "docker.io/" + strings.Repeat("a", 248): corev1.PullIfNotPresent,
		"a.example/" + strings.Repeat("a", 255): corev1.PullAlways,
		"nginx:1":                               corev1.PullIfNotPresent, "nginx@" + digest: corev1.PullIfNotPresent, "nginx:latest@" + digest: corev1.PullAlways,
	} {
		if got := PullPolicy(image); got != want {
			t.Errorf("%q is pulled %s, want %s", image, got, want)
		}
	}
}
