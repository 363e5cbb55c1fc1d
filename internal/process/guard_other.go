//go:build !unix

package process

import "time"

type guard struct{}

func newGuard(int, time.Duration, string) *guard { return nil }

func (*guard) dismiss() {}
