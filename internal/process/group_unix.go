//go:build unix

package process

import (
	"os"
	"os/exec"
	"syscall"
)

const askSignal = syscall.SIGTERM

// lead makes c the leader of a process group of its own, whose ID is the pid of c.
func lead(c *exec.Cmd) { c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// send sends s to all processes of the group. It is not an error if none is left.
func send(leader *os.Process, s os.Signal) { _ = syscall.Kill(-leader.Pid, s.(syscall.Signal)) }
