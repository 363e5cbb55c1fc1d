package convert

// A Draft is the beginning of a suite, to be completed by its author.
type Draft struct {
	Name    string
	Release string   // empty: the release of the run
	Load    []string // paths of the world
	Cases   []DraftCase
}

// A DraftCase is a case that expects what happens today.
type DraftCase struct {
	Name    string
	Request string // the path of its file

	// For an admitted request: the file of the object, empty for none, and the webhooks and policies that are called,
	// and that are not.
	Golden            string
	Called, NotCalled []string

	Denied *Denial
}

// A Denial is what is expected of a denied request.
type Denial struct {
	Code    int               // 0: undetermined
	Message string            // empty: undetermined
	By      map[string]string // such as plugin: PodSecurity; empty: the API server itself, or undetermined
}

// YAML returns d as a file.
func (d Draft) YAML() []byte {
	s := newSuite(d.Name)
	s.World.KubernetesVersion, s.World.Load = d.Release, d.Load
	for _, c := range d.Cases {
		one := testCase{Name: c.Name, Request: request{File: c.Request}}
		if c.Denied == nil {
			one.Expect = expect{Allowed: new(true)}
			if c.Golden != "" {
				one.Expect.Object = c.Golden
			}
			if len(c.Called)+len(c.NotCalled) > 0 {
				one.Expect.Trace = &traceExpect{Called: c.Called, NotCalled: c.NotCalled}
			}
		} else {
			one.Expect = expect{Allowed: new(false), Code: c.Denied.Code, DeniedBy: c.Denied.By}
			if c.Denied.Message != "" {
				one.Expect.Message = c.Denied.Message
			}
		}
		s.Cases = append(s.Cases, one)
	}
	return s.yaml()
}
