package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/admsim/admsim/internal/traffic"
)

// A progress shows how far a run has come: on one line of a terminal that is rewritten, or elsewhere, if asked for,
// with a new line now and then.
type progress struct {
	w        io.Writer // nil: nothing is shown
	terminal bool
	room     func() int // the width of the terminal now; 0 if it is not known
	now      func() time.Time

	started, shown time.Time
	records        int
	columns        int // width of what is shown
}

// The shortest time between two updates.
const (
	onTerminal = 200 * time.Millisecond
	elsewhere  = 10 * time.Second
)

// newProgress returns a progress that writes to w if w is a terminal, or if when is "always".
func newProgress(w io.Writer, when string) (*progress, error) {
	switch when {
	case "auto", "always", "never":
	default:
		return nil, oneOf("--progress", when, []string{"auto", "always", "never"})
	}
	p := &progress{terminal: isTerminal(w), room: func() int { return columnsOf(w) }, now: time.Now}
	if when == "always" || when == "auto" && p.terminal {
		p.w = rawWriter(w)
	}
	p.begin()
	return p, nil
}

func (p *progress) begin() {
	p.started = p.now()
	p.shown = p.started
}

// moved is called after each record, with the number of bytes read so far and in total.
func (p *progress) moved(read, size int64) {
	p.records++
	if p.w == nil || p.records%64 != 0 {
		return
	}
	now, often := p.now(), elsewhere
	if p.terminal {
		often = onTerminal
	}
	if now.Sub(p.shown) < often {
		return
	}
	p.shown = now
	spent := now.Sub(p.started)
	text := fmt.Sprintf("%d records, %.0f/s%s", p.records, float64(p.records)/spent.Seconds(), left(read, size, spent))
	if p.terminal {
		p.show(p.fitting(bar(read, size)+text, percent(read, size)+text, text))
		return
	}
	fmt.Fprintf(p.w, "admsim: %s%s\n", percent(read, size), text)
}

// fitting returns the first text that fits on one line of the terminal, since a longer one could not be rewritten; the
// beginning of the last one if none does.
func (p *progress) fitting(texts ...string) string {
	room := p.room() - 1 // in the last column, some terminals begin a new line
	for _, text := range texts {
		if room < 0 || len(text) <= room {
			return text
		}
	}
	return texts[len(texts)-1][:room]
}

func bar(read, size int64) string {
	if size <= 0 {
		return ""
	}
	const width = 30
	done := int(min(read, size) * width / size)
	return "[" + strings.Repeat("=", done) + strings.Repeat(" ", width-done) + "] " + percent(read, size)
}

func percent(read, size int64) string {
	if size <= 0 {
		return ""
	}
	return fmt.Sprintf("%3d%%  ", min(read, size)*100/size)
}

func left(read, size int64, spent time.Duration) string {
	if size <= 0 || read <= 0 {
		return ""
	}
	rest := time.Duration(float64(spent) * float64(max(size-read, 0)) / float64(read))
	return fmt.Sprintf(", %s left", rest.Round(time.Second))
}

func (p *progress) show(text string) {
	fmt.Fprintf(p.w, "\r%s%s", text, strings.Repeat(" ", max(p.columns-len(text), 0)))
	p.columns = len(text)
}

// end clears the line.
func (p *progress) end() {
	if p.w != nil && p.columns > 0 {
		p.show("")
		fmt.Fprint(p.w, "\r")
	}
}

// A counted corpus shows how many of its requests were read, which is little ahead of those that were answered.
type counted struct {
	traffic.Corpus
	done, of int // of is 0 if it is not known
	moved    func(done, of int)
	erase    func()
}

func countCorpus(c traffic.Corpus, moved func(done, of int), erase func()) traffic.Corpus {
	if moved == nil {
		return c
	}
	of, _ := traffic.Count(c)
	return &counted{Corpus: c, of: of, moved: moved, erase: erase}
}

func (c *counted) Next() (traffic.Request, error) {
	r, err := c.Corpus.Next()
	if err != nil {
		c.erase()
		return r, err
	}
	c.moved(c.done, c.of)
	c.done++
	return r, nil
}

// countProgress returns a function that shows on a terminal how many of some things are done, if that takes long, and
// one that erases this if not all of them were done. of is 0 if it is not known how many there are.
func countProgress(stderr io.Writer, things string) (moved func(done, of int), erase func()) {
	if !isTerminal(stderr) || os.Getenv("CI") == "true" {
		return nil, func() {}
	}
	return count(rawWriter(stderr), things, time.Now)
}

func count(w io.Writer, things string, now func() time.Time) (moved func(done, of int), erase func()) {
	started := now()
	last, shown := started, false
	var mutex sync.Mutex // warnings, which erase the count first, may come from elsewhere
	erase = func() {
		mutex.Lock()
		defer mutex.Unlock()
		if shown {
			fmt.Fprint(w, "\r\x1b[K")
			shown = false
		}
	}
	return func(done, of int) {
		if of > 0 && done == of {
			erase()
			return
		}
		mutex.Lock()
		defer mutex.Unlock()
		at := now()
		if at.Sub(started) < time.Second || at.Sub(last) <= 100*time.Millisecond {
			return
		}
		last, shown = at, true
		if of == 0 {
			fmt.Fprintf(w, "\r%d %s", done, things)
			return
		}
		fmt.Fprintf(w, "\r%d of %d %s", done, of, things)
	}, erase
}
