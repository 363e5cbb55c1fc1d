package recorder

import (
	"net"
	"net/http"
	"sync"
)

// connections are those that are open. Of those on which nothing was asked yet it knows which they
// are: a server that shuts down would wait five seconds for them, and clients open some that they
// do not need.
type connections struct {
	mutex  sync.Mutex
	fresh  map[net.Conn]bool
	open   int
	closed bool
}

// watch is called when the state of a connection changes.
func (c *connections) watch(connection net.Conn, state http.ConnState) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	switch state {
	case http.StateNew:
		c.open++
	case http.StateClosed, http.StateHijacked:
		c.open--
	}
	switch {
	case state != http.StateNew:
		delete(c.fresh, connection)
	case c.closed, c.open > mostConnections:
		_ = connection.Close()
	default:
		if c.fresh == nil {
			c.fresh = map[net.Conn]bool{}
		}
		c.fresh[connection] = true
	}
}

// close closes them, and those that are still to come.
func (c *connections) close() {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.closed = true
	for connection := range c.fresh {
		_ = connection.Close()
	}
}
