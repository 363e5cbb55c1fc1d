//go:build unix

package process

import (
	"os"
	"os/exec"
	"syscall"
)

const askSignal = syscall.SIGTERM

// lead makes c the leader of a group of its own, which has the pid of c as its number.
func lead(c *exec.Cmd) { c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// send sends s to all processes of the group. It is not an error if none is left.
func send(leader *os.Process, s os.Signal) { _ = syscall.Kill(-leader.Pid, s.(syscall.Signal)) }
