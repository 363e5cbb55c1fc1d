package certificate

// Local returns the names of a server on this machine.
func Local() []string { return []string{"localhost", "127.0.0.1", "::1"} }

// ServiceNames returns the names of a service. The API server uses the first one, whatever the port and the domain of
// the cluster are (W-143).
func ServiceNames(namespace, name string) []string {
	short := name + "." + namespace
	return []string{short + ".svc", short, short + ".svc.cluster.local"}
}
