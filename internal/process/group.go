package process

import (
	"os"
	"sync"
)

// A group is a process with all its children, as far as the system knows such groups.
type group struct {
	leader *os.Process

	mutex sync.Mutex
	ended bool // then its number may belong to another process
}

// ask lets all of the group end.
func (g *group) ask() { g.signal(askSignal) }

// kill ends all of the group.
func (g *group) kill() { g.signal(os.Kill) }

// end kills who is left of the group, after which no signal is sent any more.
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
