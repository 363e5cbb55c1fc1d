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

// grace is how long a command has to put its files in order when it is interrupted.
const grace = time.Second

// interruptible is a context that ends when the user interrupts the command, so that it can
// put its files in order. If it cannot, since something that it waits for never returns, it is ended: a file
// is in its place whole or not at all, and the guards of programs end them. A second interrupt ends it at once.
func interruptible(ctx context.Context) (context.Context, func()) {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	over := make(chan struct{})
	context.AfterFunc(ctx, func() {
		stop()
		select {
		case <-over:
		case <-time.After(grace):
			fmt.Fprintln(os.Stderr, "admsim: error: interrupted")
			os.Exit(exitUnknown)
		}
	})
	return ctx, sync.OnceFunc(func() { close(over); stop() })
}
