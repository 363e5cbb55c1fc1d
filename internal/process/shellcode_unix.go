//go:build unix

package process

import (
	"os"
	"syscall"
)

// byShells returns the exit code that shells give to a command that was ended by a signal.
func byShells(s *os.ProcessState) int {
	const signalled = 128
	if status, ok := s.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return signalled + int(status.Signal())
	}
	return signalled
}
