package recorder

import (
	"net"
	"net/http"
	"sync"
)

// connections tracks the open connections, and which of them have not carried a request yet. Clients open connections
// that they may never use, and a server that shuts down would wait five seconds for each of these.
type connections struct {
	mutex  sync.Mutex
	unused map[net.Conn]bool
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
		delete(c.unused, connection)
	case c.closed, c.open > maxConnections:
		_ = connection.Close()
	default:
		if c.unused == nil {
			c.unused = map[net.Conn]bool{}
		}
		c.unused[connection] = true
	}
}

// close closes the connections without a request, including those that are opened later.
func (c *connections) close() {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.closed = true
	for connection := range c.unused {
		_ = connection.Close()
	}
}
