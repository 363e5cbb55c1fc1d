//go:build unix

package process

import (
	"io"
	"os/exec"
	"strconv"
	"time"
)

// A guard ends the group of a webhook when admsim is gone and cannot do it: killed,
// crashed in some goroutine, or ended by an interrupt that nobody handles. It is a shell
// that reads from a pipe of which only admsim has the other end.
type guard struct {
	command *exec.Cmd
	release io.WriteCloser
}

// The arguments are the number of the group, the seconds it has, and a folder to remove.
const guardScript = `
trap '' HUP INT TERM
read -r released && exit
kill -s TERM -- "-$1" 2>/dev/null
left=$2
while [ "$left" -gt 0 ] && kill -s 0 -- "-$1" 2>/dev/null; do
	sleep 1
	left=$((left - 1))
done
kill -s KILL -- "-$1" 2>/dev/null
rm -rf -- "$3"
`

// newGuard returns nil if there is no shell: then there is no guard.
func newGuard(group int, grace time.Duration, folder string) *guard {
	seconds := strconv.Itoa(int((grace + time.Second - 1) / time.Second))
	c := exec.Command("/bin/sh", "-c", guardScript, "admsim-guard", strconv.Itoa(group), seconds, folder)
	c.Env = inherited(nil)
	lead(c) // an interrupt at the terminal is not for it
	release, err := c.StdinPipe()
	if err != nil || c.Start() != nil {
		return nil
	}
	return &guard{command: c, release: release}
}

// dismiss ends the guard without a trace.
func (g *guard) dismiss() {
	if g == nil {
		return
	}
	_, _ = io.WriteString(g.release, "released\n")
	_ = g.release.Close()
	_ = g.command.Wait()
}
