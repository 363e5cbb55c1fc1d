package main

import (
	"strings"
	"testing"
	"time"

	"github.com/admsim/admsim/internal/scenario"
	"github.com/admsim/admsim/internal/traffic"
)

// On a terminal, progress is one line that is overwritten: a bar, the count, the rate and the time left. Elsewhere it
// is an occasional line, and only if asked for.
func TestProgress(t *testing.T) {
	for _, c := range []struct {
		name     string
		terminal bool
		room     int
		size     int64
		want     string
	}{
		{"terminal", true, 100, 1280, "\r[===============               ]  50%  64 records, 3/s, 20s left" +
			"\r[==============================] 100%  128 records, 3/s, 0s left" +
			"\r" + strings.Repeat(" ", 64) + "\r"},
		{"narrow terminal", true, 40, 1280, "\r 50%  64 records, 3/s, 20s left" +
			"\r100%  128 records, 3/s, 0s left" + "\r" + strings.Repeat(" ", 31) + "\r"},
		{"very narrow terminal", true, 11, 1280, "\r64 records" + "\r128 record" + "\r" + strings.Repeat(" ", 10) + "\r"},
		{"terminal of unknown width", true, 0, 0, "\r64 records, 3/s\r128 records, 3/s\r" + strings.Repeat(" ", 16) + "\r"},
		{"terminal, with unknown size", true, 100, 0, "\r64 records, 3/s\r128 records, 3/s\r" + strings.Repeat(" ", 16) + "\r"},
		{"elsewhere", false, 0, 1280, "admsim:  50%  64 records, 3/s, 20s left\nadmsim: 100%  128 records, 3/s, 0s left\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var shown strings.Builder
			at := time.Unix(0, 0)
			p := &progress{w: &shown, terminal: c.terminal, room: func() int { return c.room }, now: func() time.Time { return at }}
			p.begin()
			for i := range 128 {
				if i%64 == 63 {
					at = at.Add(20 * time.Second)
				}
				p.moved(int64(i+1)*10, c.size)
			}
			p.moved(1290, c.size)
			p.end()
			if got := shown.String(); got != c.want {
				t.Errorf("shown is\n%q\nwant\n%q", got, c.want)
			}
		})
	}
}

// Progress is updated often enough to be seen moving, and not more often.
func TestProgressNotTooOften(t *testing.T) {
	for terminal, want := range map[bool]int{true: 10, false: 1} {
		var shown strings.Builder
		at := time.Unix(0, 0)
		p := &progress{w: &shown, terminal: terminal, room: func() int { return 100 }, now: func() time.Time { return at }}
		p.begin()
		for range 100 * 64 {
			at = at.Add(2 * time.Second / 6400 * map[bool]time.Duration{true: 1, false: 5}[terminal])
			p.moved(1, 2)
		}
		if n := strings.Count(shown.String(), "records"); n < want-1 || n > want {
			t.Errorf("terminal %v: shown %d times, want %d", terminal, n, want)
		}
	}
}

func TestProgressWhen(t *testing.T) {
	var somewhere strings.Builder
	for when, want := range map[string]bool{"auto": false, "always": true, "never": false} {
		p, err := newProgress(&somewhere, when)
		if err != nil || (p.w != nil) != want {
			t.Errorf("%s: shown is %v, %v", when, p.w != nil, err)
		}
	}
	if _, err := newProgress(&somewhere, "sometimes"); err == nil {
		t.Error("an unknown choice is accepted")
	}
}

// A count does not stay on the terminal, also if less was done than expected.
func TestCountErased(t *testing.T) {
	var shown strings.Builder
	at := time.Unix(0, 0)
	moved, erase := count(&shown, "answers", func() time.Time { return at })
	at = at.Add(2 * time.Second)
	moved(1, 10)
	erase()
	if want := "\r1 of 10 answers\r\x1b[K"; shown.String() != want {
		t.Errorf("shown %q, want %q", shown.String(), want)
	}
	moved(10, 10)
	erase()
	if strings.Count(shown.String(), "\x1b[K") != 1 {
		t.Errorf("erased again: %q", shown.String())
	}
}

// Commands that run a corpus show how many of its requests were read, and of how many, unless only reading a recording
// to its end would show that. The count is gone before the results are printed.
func TestCorpusCounted(t *testing.T) {
	written := func() traffic.Corpus { return traffic.Written(make([]scenario.Request, 2)) }
	for _, tt := range []struct {
		what   string
		corpus traffic.Corpus
		want   string
	}{
		{"manifests", traffic.Both(written(), traffic.Steps(make([]traffic.Step, 1))), "\r0 of 3 requests\r1 of 3 requests\r2 of 3 requests\r\x1b[K"},
		{"of unknown length", traffic.Both(written(), struct{ traffic.Corpus }{written()}), "\r0 requests\r1 requests\r2 requests\r3 requests\r\x1b[K"},
	} {
		var shown strings.Builder
		at := time.Unix(0, 0)
		moved, erase := count(&shown, "requests", func() time.Time { return at })
		c := countCorpus(tt.corpus, moved, erase)
		at = at.Add(time.Second)
		for err := error(nil); err == nil; _, err = c.Next() {
			at = at.Add(time.Second)
		}
		if shown.String() != tt.want {
			t.Errorf("%s: shown %q, want %q", tt.what, shown.String(), tt.want)
		}
	}
}
