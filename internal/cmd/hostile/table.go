package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"strings"
)

const (
	begin = "<!-- hostile inputs: written by make hostile -->\n"
	end   = "<!-- end of hostile inputs -->\n"
)

func table(rows []row) string {
	var b strings.Builder
	b.WriteString("| input | size | command | exit code | processor time | peak memory |\n|---|--:|---|--:|--:|--:|\n")
	for _, r := range rows {
		fmt.Fprintf(&b, "| %s | %s | `%s` | %s | %.1f s | %d MiB |\n",
			r.name, sizeText(r.size), strings.Join(r.args, " "), r.exit(), r.took.Seconds(), r.peak>>20)
	}
	return b.String()
}

func sizeText(bytes int64) string {
	switch {
	case bytes >= 1<<20:
		return fmt.Sprintf("%.1f MiB", float64(bytes)/(1<<20))
	case bytes >= 1<<10:
		return fmt.Sprintf("%d KiB", bytes>>10)
	}
	return fmt.Sprintf("%d B", bytes)
}

// rewrite replaces the table between the two markers of a document.
func rewrite(document, text string) error {
	data, err := os.ReadFile(document)
	if err != nil {
		return err
	}
	before, rest, ok := bytes.Cut(data, []byte(begin))
	_, after, closed := bytes.Cut(rest, []byte(end))
	if !ok || !closed {
		return fmt.Errorf("%s has no place for the table: a line %q and a line %q", document, strings.TrimSpace(begin), strings.TrimSpace(end))
	}
	data = bytes.Join([][]byte{before, []byte(begin + text + end), after}, nil)
	return os.WriteFile(document, data, 0o666)
}

// The limits for an input, with room for a slow machine. An input that needs another limit defines it itself.
const (
	mostSeconds = 30
	mostMemory  = 1 << 30
)

// unbounded returns an error for the inputs that took too much, or revealed a bug.
func unbounded(rows []row) error {
	var errs []error
	for _, r := range rows {
		switch {
		case !r.ended:
			errs = append(errs, fmt.Errorf("%s: does not end", r.name))
		case r.code > 2 || r.code < 0:
			errs = append(errs, fmt.Errorf("%s: ends with code %d", r.name, r.code))
		case r.took.Seconds() > mostSeconds:
			errs = append(errs, fmt.Errorf("%s: takes %v", r.name, r.took))
		case r.peak > mostMemory:
			errs = append(errs, fmt.Errorf("%s: takes %d MiB", r.name, r.peak>>20))
		}
	}
	return errors.Join(errs...)
}
