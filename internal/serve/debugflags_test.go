package serve_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/admsim/admsim/internal/serve"
)

// The answers are those of servers of 1.15.12, 1.26.15, 1.27.8 and 1.37.2.
func TestDebugFlags(t *testing.T) {
	const verbosity = "/debug/flags/v"
	type answers struct{ put, words, negative, get, sniffing string }
	const put, get = "successfully set klog.logging.verbosity to 5\n", "unsupported http method\n"
	for version, want := range map[string]answers{
		"1.15": {put, "failed set klog.logging.verbosity abc: strconv.Atoi: parsing \"abc\": invalid syntax\n", "successfully set klog.logging.verbosity to -1\n", get, ""},
		"1.26": {put, "failed set klog.logging.verbosity abc: strconv.ParseInt: parsing \"abc\": invalid syntax\n", "successfully set klog.logging.verbosity to -1\n", get, "nosniff"},
		"1.37": {put, "strconv.ParseUint: parsing \"abc\": invalid syntax\n", "strconv.ParseUint: parsing \"-1\": invalid syntax\n", get, "nosniff"},
	} {
		s := newServerOfRelease(t, version, nil, serve.Options{})
		do := func(method, body string, code int) string {
			a := s.do(method, verbosity, body)
			if a.code != code || a.header.Get("Content-Type") != "text/plain" {
				t.Errorf("%s: %s %q: %d, %v; want %d", version, method, body, a.code, a.header, code)
			}
			return string(a.body)
		}
		negative := 200
		if version == "1.37" {
			negative = 400
		}
		got := answers{do("PUT", "5", 200), do("PUT", "abc", 400), do("PUT", "-1", negative), do("GET", "", 406), s.do("GET", verbosity, "").header.Get("X-Content-Type-Options")}
		if diff := cmp.Diff(want, got, cmp.AllowUnexported(answers{})); diff != "" {
			t.Errorf("%s (-want +got):\n%s", version, diff)
		}
	}
	for version, want := range map[string]int{"1.10": 404, "1.27": 200, "1.37": 200} {
		s := newServerOfRelease(t, version, nil, serve.Options{})
		for _, path := range []string{"/debug/flags", "/debug/flags/", "/debug/flags/x"} {
			if a := s.do("GET", path, ""); a.code != want {
				t.Errorf("%s: %s: %d %s, want %d", version, path, a.code, a.body, want)
			}
		}
	}
	const begin = "<html>\n<head>\n<title>/debug/flags/</title>\n</head>\n<body>\n/debug/flags/<br>\n<br>\nflags:<br>\n<table>\n"
	const end = "</table>\n<br>\nfull flags configurable<br>\n</body>\n</html>\n"
	for version, want := range map[string]string{"1.27": begin + "\n<tr>v<br>\n\n" + end, "1.37": begin + "<tr>v<br>\n" + end} {
		a := newServerOfRelease(t, version, nil, serve.Options{}).do("GET", "/debug/flags", "")
		if diff := cmp.Diff(want, string(a.body)); diff != "" || a.header.Get("Content-Type") != "text/html; charset=utf-8" {
			t.Errorf("%s: the index, %v (-want +got):\n%s", version, a.header, diff)
		}
	}
}

// Clients can exclude health checks.
func TestExcludedChecks(t *testing.T) {
	var checked []*serve.Checked
	s := newServerOfRelease(t, "1.15", nil, serve.Options{Answered: func(a *serve.Answered) { checked = append(checked, a.Checked) }})
	a := s.do("GET", "/healthz?verbose&exclude=etcd&exclude=zero&exclude=%22%0A&exclude=nothing&exclude=etcd", "")
	const want = `[+]ping ok
[+]log ok
[+]etcd excluded: ok
`
	const end = `warn: some health checks cannot be excluded: no matches for "\"\n","nothing","zero"
healthz check passed
`
	if got := string(a.body); len(got) < len(want)+len(end) || got[:len(want)] != want || got[len(got)-len(end):] != end {
		t.Errorf("excluded: %s", got)
	}
	if a := s.do("GET", "/healthz?exclude=nothing", ""); string(a.body) != "ok" || a.header.Get("X-Content-Type-Options") != "nosniff" {
		t.Errorf("without details: %s %v", a.body, a.header)
	}
	if a := s.do("GET", "/healthz/etcd?verbose&exclude=etcd", ""); string(a.body) != "ok" || a.header.Get("X-Content-Type-Options") != "" {
		t.Errorf("one check: %s %v", a.body, a.header)
	}
	if a := newServerOfRelease(t, "1.19", nil, serve.Options{}).do("GET", "/readyz?verbose", ""); !strings.HasSuffix(string(a.body), "\nhealthz check passed\n") {
		t.Errorf("the end in 1.19: %s", a.body)
	}
	if len(checked) != 3 || checked[0] == nil || checked[1] == nil || checked[2] != nil || checked[0].Endpoint != "healthz" || len(checked[0].Names)+1 != len(checked[1].Names) {
		t.Errorf("checked %+v", checked)
	}
}

// Since 1.16, answers must not be cached.
func TestCacheControl(t *testing.T) {
	for version, want := range map[string]string{"1.15": "", "1.16": "no-cache, private"} {
		s := newServerOfRelease(t, version, nil, serve.Options{})
		for _, path := range []string{"/healthz", maps, "/nothing"} {
			if got := s.do("GET", path, "").header.Get("Cache-Control"); got != want {
				t.Errorf("%s: %s has Cache-Control %q, want %q", version, path, got, want)
			}
		}
	}
}
