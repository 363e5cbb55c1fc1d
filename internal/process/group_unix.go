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

// send sends s to all of the group. That nobody is left is no error.
func send(leader *os.Process, s os.Signal) { _ = syscall.Kill(-leader.Pid, s.(syscall.Signal)) }
