package main

import (
	"context"
	"fmt"
	"io"
)

// A measurement is everything that is measured, with the results so far.
type measurement struct {
	dir       string
	benchtime string
	progress  io.Writer

	binaries map[string]string // benchmark binaries by package
	programs []program         // those that were found
	missing  []string
	samples  samples
}

// prepare builds what the rounds run.
func (m *measurement) prepare(ctx context.Context, peers bool) error {
	m.binaries = map[string]string{}
	for _, s := range suites {
		_, _ = fmt.Fprintf(m.progress, "building %s\n", s.pkg)
		if err := m.build(ctx, s.pkg); err != nil {
			return err
		}
	}
	return m.find(ctx, peers)
}

// startsInARound is how often a program is started in a round, since a start is short.
const startsInARound = 5

func (m *measurement) round(ctx context.Context, first bool) error {
	for _, s := range suites {
		if s.once && !first {
			continue
		}
		if err := m.bench(ctx, s); err != nil {
			return err
		}
	}
	for range startsInARound {
		for _, p := range m.programs {
			if err := m.start(ctx, p); err != nil {
				return err
			}
		}
	}
	return nil
}

func (s samples) add(q quantity, value float64) { s[q] = append(s[q], value) }
