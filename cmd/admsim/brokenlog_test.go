package main

import (
	"bytes"
	"errors"
	"io"
	"runtime"
	"strings"
	"testing"
)

// A brokenLog is one record followed by many lines that are not records. It measures the heap while it is read.
type brokenLog struct {
	rest  int
	lines *strings.Reader
	heap  []uint64 // heap size after each quarter of the lines
	part  int
}

func (l *brokenLog) Read(p []byte) (int, error) {
	n, err := l.lines.Read(p)
	if !errors.Is(err, io.EOF) || l.rest == 0 {
		return n, err
	}
	const batch = 1000
	l.lines.Reset(strings.Repeat("{\"broken\": 1]\n", batch))
	if l.rest -= batch; l.rest%l.part == 0 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		l.heap = append(l.heap, m.HeapAlloc)
	}
	return l.Read(p)
}

// Broken lines are counted, and only the first ones are kept.
func TestManyBrokenLines(t *testing.T) {
	const record = `{"kind":"Event","apiVersion":"audit.k8s.io/v1","level":"RequestResponse","auditID":"1","stage":"ResponseComplete","requestURI":"/api/v1/namespaces/default/configmaps","verb":"create","user":{"username":"a"},"objectRef":{"resource":"configmaps","namespace":"default","name":"a","apiVersion":"v1"},"responseStatus":{"code":201},"requestObject":{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"a","namespace":"default"}}}` + "\n"
	commands := [][]string{
		{"replay", "-"}, {"replay", "-", "-o", "json"}, {"replay", "-", "-o", "jsonl=lines.jsonl"}, {"replay", "-", "-o", "html=page.html"}, {"convert", "audit", "-"},
	}
	if testing.Short() {
		commands = commands[:1]
	}
	for _, args := range commands {
		inFolder(t)
		log := &brokenLog{rest: 200_000, lines: strings.NewReader(record), part: 50_000}
		var stdout, stderr bytes.Buffer
		if code := run(t.Context(), args, log, &stdout, &stderr); code == exitBug || log.rest > 0 {
			t.Errorf("admsim %q: exit code %d, %d lines were not read\n%.300s", args, code, log.rest, &stderr)
		}
		if stderr.Len() > 10_000 {
			t.Errorf("admsim %q wrote %d bytes to standard error", args, stderr.Len())
		}
		if first, last := log.heap[0], log.heap[len(log.heap)-1]; last > first+16<<20 {
			t.Errorf("admsim %q: %d KiB are held in the beginning, %d KiB in the end", args, first>>10, last>>10)
		}
	}
}
