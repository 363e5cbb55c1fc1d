//go:build !unix

package process

import (
	"os"
	"os/exec"
)

// There is no signal that only asks.
var askSignal = os.Kill

func lead(*exec.Cmd) {}

func send(leader *os.Process, s os.Signal) { _ = leader.Signal(s) }
