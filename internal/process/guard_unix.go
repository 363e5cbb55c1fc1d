//go:build unix

package process

import (
	"io"
	"os/exec"
	"strconv"
	"time"
)

// A guard ends a webhook's process group when admsim cannot do it any more: because it was killed, crashed in some
// goroutine, or was ended by an interrupt that nobody handles. It is a shell that reads from a pipe whose other end
// only admsim has.
type guard struct {
	command *exec.Cmd
	release io.WriteCloser
}

// The arguments are the ID of the group, its grace period in seconds, and a folder to remove.
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

// newGuard returns nil if there is no shell: then nothing guards the group.
func newGuard(group int, grace time.Duration, folder string) *guard {
	seconds := strconv.Itoa(int((grace + time.Second - 1) / time.Second))
	c := exec.Command("/bin/sh", "-c", guardScript, "admsim-guard", strconv.Itoa(group), seconds, folder)
	c.Env = inherited(nil)
	lead(c) // an interrupt at the terminal must not reach it
	release, err := c.StdinPipe()
	if err != nil || c.Start() != nil {
		return nil
	}
	return &guard{command: c, release: release}
}

// dismiss ends the guard without any further action.
func (g *guard) dismiss() {
	if g == nil {
		return
	}
	_, _ = io.WriteString(g.release, "released\n")
	_ = g.release.Close()
	_ = g.command.Wait()
}
