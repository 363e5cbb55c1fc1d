package door

import (
	"errors"
	"fmt"
	"net"
	"syscall"

	"github.com/admsim/admsim/internal/hint"
)

// Listen opens a port, given as host:port, for as many connections as a server of admsim has at most. Port 0 is any free
// port.
func Listen(address string) (net.Listener, error) {
	l, err := OpenPort(address)
	if err != nil {
		return nil, err
	}
	return newLimited(l, mostConnections), nil
}

// OpenPort opens a port, given as host:port, or says why it cannot be opened and what to try.
func OpenPort(address string) (net.Listener, error) {
	l, err := net.Listen("tcp", address)
	if err == nil {
		return l, nil
	}
	failed := func(why string) error { return fmt.Errorf("listening on %s: %s", address, why) }
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		return nil, hint.Add(failed("address already in use"), "another program has the port, maybe another admsim; choose another one, or 0 for any that is free")
	case errors.Is(err, syscall.EADDRNOTAVAIL):
		return nil, hint.Add(failed("this machine does not have the address"), "clients on this machine reach 127.0.0.1; 0.0.0.0 are all addresses of this machine")
	case errors.Is(err, syscall.EACCES):
		return nil, hint.Add(failed("permission denied"), "ports below 1024 are for administrators; choose a higher one")
	}
	if wrong := (*net.AddrError)(nil); errors.As(err, &wrong) && wrong.Err == "invalid port" {
		return nil, hint.Add(failed("there is no such port"), "choose one up to 65535, or 0 for any that is free")
	}
	return nil, err
}
