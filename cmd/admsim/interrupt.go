package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"
)

var errInterrupted = errors.New("interrupted")

// grace is the time that an interrupted command has to clean up its files.
const grace = time.Second

// interruptible returns a context that ends when the user interrupts the command, which can then clean up its files. If
// the command does not return in time because it waits for something that never ends, the process exits after abandon:
// files are written completely or not at all, and programs are ended by their guards. A second interrupt ends the
// process at once.
func interruptible(ctx context.Context, abandon ...func()) (context.Context, func()) {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	over := make(chan struct{})
	context.AfterFunc(ctx, func() {
		stop()
		select {
		case <-over:
		case <-time.After(grace):
			for _, do := range abandon {
				do()
			}
			fmt.Fprintln(os.Stderr, "admsim: error: interrupted")
			os.Exit(exitUnknown)
		}
	})
	return ctx, sync.OnceFunc(func() { close(over); stop() })
}
