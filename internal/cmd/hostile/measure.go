package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"
)

// A row holds what an input took.
type row struct {
	input
	size   int64         // of the input, in bytes
	took   time.Duration // processor time, which does not depend on other load
	peak   int64         // memory, in bytes
	code   int
	ended  bool   // by itself
	output string // the first line of output, for whoever runs this command
}

// measure runs admsim on an input, in an empty folder.
func measure(ctx context.Context, binary, dir string, in input, longest time.Duration) (row, error) {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return row{}, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	r := row{input: in}
	for name, write := range in.files {
		size, err := writeFile(dir, name, write)
		if err != nil {
			return r, err
		}
		r.size += size
	}
	limited, cancel := context.WithTimeout(ctx, longest)
	defer cancel()
	cmd := exec.CommandContext(limited, binary, in.args...)
	cmd.Dir = dir
	output := &firstBytes{}
	cmd.Stderr = output
	err := cmd.Run()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		return r, err
	}
	if ctx.Err() != nil {
		return r, ctx.Err()
	}
	r.ended, r.code = limited.Err() == nil, cmd.ProcessState.ExitCode()
	r.took = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	if usage, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage); ok {
		r.peak = usage.Maxrss << 10
	}
	r.output, _, _ = strings.Cut(string(output.text), "\n")
	return r, nil
}

func (r row) exit() string {
	if !r.ended {
		return "none"
	}
	return fmt.Sprint(r.code)
}

// firstBytes keeps the beginning of what is written.
type firstBytes struct{ text []byte }

func (f *firstBytes) Write(p []byte) (int, error) {
	f.text = append(f.text, p[:min(150-len(f.text), len(p))]...)
	return len(p), nil
}
