package process

import (
	"os"
	"sync"
)

// A group is a process with all its children, as far as the system supports process groups.
type group struct {
	leader *os.Process

	mutex sync.Mutex
	ended bool // its ID may belong to another process by now
}

// ask asks the whole group to end.
func (g *group) ask() { g.signal(askSignal) }

// kill kills the whole group.
func (g *group) kill() { g.signal(os.Kill) }

// end kills the rest of the group. No signal is sent after that.
func (g *group) end() {
	g.kill()
	g.mutex.Lock()
	defer g.mutex.Unlock()
	g.ended = true
}

func (g *group) signal(s os.Signal) {
	g.mutex.Lock()
	defer g.mutex.Unlock()
	if !g.ended {
		send(g.leader, s)
	}
}
