package kubeversion

import (
	"fmt"
	"maps"
	"math"
	"os"
	"slices"
	"strings"
	"testing"
)

// openAPIExceptions lists where a table differs from the server's OpenAPI document. A span of 0 means none.
var openAPIExceptions = map[string]struct {
	span
	because string
}{
	"storage.k8s.io/v1alpha1/csistoragecapacities": {span{19, 23}, "written without its gate up to 1.20"},
	"v1/pods/ephemeralcontainers":                  {span{16, newest}, "written without its gate up to 1.20"},
	"v1/serviceaccounts/token":                     {span{10, newest}, "not in the documents of releases up to 1.15, whose servers had no issuer when these were made"},
}

// newest stands for the newest release, whichever it is.
const newest = math.MaxInt

// A span is the first and the last minor version that can serve a resource.
type span struct{ first, last int }

func (s span) String() string {
	if s.first == 0 {
		return "never"
	}
	if s.last == newest {
		return fmt.Sprintf("from 1.%d on", s.first)
	}
	return fmt.Sprintf("1.%d to 1.%d", s.first, s.last)
}

// Each release can serve what its server could serve, and nothing else.
func TestOffered(t *testing.T) {
	want, got := openAPISpans(t), offeredSpans()
	for name, exception := range openAPIExceptions {
		if want[name] == exception.span {
			t.Errorf("%s agrees with the document, and needs no exception: %s", name, exception.because)
		}
		want[name] = exception.span
	}
	names := slices.AppendSeq(slices.Collect(maps.Keys(want)), maps.Keys(got))
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		if got[name] != want[name] {
			t.Errorf("%s is served: %v, want %v", name, got[name], want[name])
		}
	}
}

func openAPISpans(t *testing.T) map[string]span {
	data, err := os.ReadFile("testdata/openapi.txt")
	if err != nil {
		t.Fatal(err)
	}
	spans := map[string]span{}
	for line := range strings.Lines(string(data)) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		name, releases, _ := strings.Cut(strings.TrimSpace(line), " ")
		first, last, isSpan := strings.Cut(releases, "-")
		s := span{minorOf(first), newest}
		if !isSpan {
			s.last = s.first
		} else if last != "" {
			s.last = minorOf(last)
		}
		spans[name] = s
	}
	return spans
}

func offeredSpans() map[string]span {
	spans := map[string]span{}
	add := func(name string, minor int) {
		s, ok := spans[name]
		if !ok {
			s = span{minor, minor}
		}
		last := max(s.last, minor)
		if minor == Default().Minor {
			last = newest
		}
		spans[name] = span{min(s.first, minor), last}
	}
	for _, known := range releases {
		r := known.release()
		for _, resource := range r.offered {
			name := resource.GroupVersion().String() + "/" + resource.Resource
			if len(resource.Verbs) > 0 { // others have no path
				add(name, r.Minor)
			}
			for sub := range resource.Subresources {
				add(name+"/"+sub, r.Minor)
			}
		}
	}
	return spans
}
