package main

import (
	"fmt"
	"io"
	"strings"
	"time"
)

// A progress shows how far a run has come: on one line of a terminal, again and again.
type progress struct {
	w       io.Writer // nil: nobody looks
	started time.Time
	shown   time.Time
	records int
	columns int // of what is shown
}

// newProgress returns one that writes to w if that is a terminal, or if asked for.
func newProgress(w io.Writer, when string) *progress {
	p := &progress{started: time.Now()}
	if when == "always" || when == "auto" && isTerminal(w) {
		p.w = w
	}
	return p
}

// moved is told after each record how many bytes were read of how many.
func (p *progress) moved(read, size int64) {
	p.records++
	if p.w == nil || p.records%64 != 0 {
		return
	}
	now := time.Now()
	if now.Sub(p.shown) < 200*time.Millisecond {
		return
	}
	p.shown = now
	p.show(bar(read, size) + fmt.Sprintf("%d records, %.0f/s", p.records, float64(p.records)/now.Sub(p.started).Seconds()) + left(read, size, now.Sub(p.started)))
}

func bar(read, size int64) string {
	if size <= 0 {
		return ""
	}
	const width = 30
	done := int(min(read, size) * width / size)
	return fmt.Sprintf("[%s%s] %3d%%  ", strings.Repeat("=", done), strings.Repeat(" ", width-done), min(read, size)*100/size)
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

// end wipes the line.
func (p *progress) end() {
	if p.w != nil && p.columns > 0 {
		p.show("")
		fmt.Fprint(p.w, "\r")
	}
}
