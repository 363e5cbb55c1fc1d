package convert

// A Draft is a suite that is begun for somebody who goes on with it.
type Draft struct {
	Name  string
	Load  []string // paths of the world
	Cases []DraftCase
}

// A DraftCase is one that expects what happens today.
type DraftCase struct {
	Name    string
	Request string // the path of its file

	Golden string   // the file of the object that is admitted; empty: none
	Called []string // the webhooks and policies that are asked, where it is admitted
	Denied *Denial
}

// A Denial is what is expected of a request that is denied.
type Denial struct {
	Code    int
	Message string
	By      map[string]string // such as plugin: PodSecurity; empty: the API server itself
}

// YAML is d as a file.
func (d Draft) YAML() []byte {
	s := newSuite(d.Name)
	s.World.Load = d.Load
	for _, c := range d.Cases {
		one := testCase{Name: c.Name, Request: request{File: c.Request}}
		if c.Denied == nil {
			one.Expect = expect{Allowed: new(true)}
			if c.Golden != "" {
				one.Expect.Object = c.Golden
			}
			if len(c.Called) > 0 {
				one.Expect.Trace = &traceExpect{Called: c.Called}
			}
		} else {
			one.Expect = expect{Allowed: new(false), Code: c.Denied.Code, Message: c.Denied.Message, DeniedBy: c.Denied.By}
		}
		s.Cases = append(s.Cases, one)
	}
	return s.yaml()
}
