//go:build unix

package process

import (
	"os"
	"syscall"
)

// byShells is the exit code that shells give to a command that a signal ended.
func byShells(s *os.ProcessState) int {
	const signalled = 128
	if status, ok := s.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return signalled + int(status.Signal())
	}
	return signalled
}
