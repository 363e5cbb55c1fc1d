package lines

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/admsim/admsim/internal/bug"
	"github.com/admsim/admsim/internal/recording"
)

// A Summary counts lines. It depends only on the lines and their order, and the memory it takes does not grow with
// their number. The zero value is the summary of no lines.
type Summary struct {
	Total      int             `json:"total"`
	Outcomes   map[Outcome]int `json:"outcomes"`
	Skipped    map[string]int  `json:"skipped,omitempty"`    // by reason
	CannotTell map[string]int  `json:"cannotTell,omitempty"` // by reason
	// First is where a reason in Skipped or CannotTell was first: file and line.
	First   map[string]string `json:"first,omitempty"`
	Broken  []BrokenPart      `json:"broken,omitempty"`  // the first ones, those of damaged files before others
	Bugs    []BrokenPart      `json:"bugs,omitempty"`    // where admsim panicked, the first ones
	Unknown map[string]int    `json:"unknown,omitempty"` // requests that ran although this is unknown

	// Kinds are the kinds of differences; Webhooks and the other maps count requests that ran. A webhook differs if it
	// is at fault.
	Kinds      map[string]*Kind  `json:"differences,omitempty"`
	Webhooks   map[string]*Count `json:"webhooks,omitempty"`
	Resources  map[string]*Count `json:"resources,omitempty"`
	Namespaces map[string]*Count `json:"namespaces,omitempty"`
	Users      map[string]*Count `json:"users,omitempty"`
}

// A BrokenPart is a place in a recording that could not be read, and why.
type BrokenPart struct {
	At   string         `json:"at"`             // file and line
	Code recording.Code `json:"code,omitempty"` // broken, damaged, or invalid: a record that says something wrong
	Why  string         `json:"why"`
}

// A Count is how many requests ran, and how many of them differ.
type Count struct {
	Ran    int `json:"ran"`
	Differ int `json:"differ"`
}

// A Kind is one kind of difference. If only admsim denies, there is a kind for each denier.
type Kind struct {
	What     What     `json:"what"`
	Path     string   `json:"path,omitempty"`
	DeniedBy string   `json:"deniedBy,omitempty"`
	Source   string   `json:"source,omitempty"` // file and line of the denier
	Requests int      `json:"requests"`
	Unsure   int      `json:"unsure,omitempty"` // of Requests: the object may have been different before
	Samples  []Sample `json:"samples"`          // the first ones
}

// A Sample is a difference as an example.
type Sample struct {
	At        string `json:"at"` // file and line
	Request   string `json:"request"`
	User      string `json:"user,omitempty"`
	Webhook   string `json:"webhook,omitempty"`
	Recorded  string `json:"recorded,omitempty"`
	Simulated string `json:"simulated,omitempty"`
	Message   string `json:"message,omitempty"` // why admsim denies what the cluster allowed
	Said      string `json:"said,omitempty"`    // why the cluster denied what admsim allows
	Because   string `json:"because,omitempty"` // why what denied the request in the cluster does not deny it in admsim
	Unsure    string `json:"unsure,omitempty"`  // why the object may have been different before
}

// Limits: samples per kind, characters per value, and the number of names above which further names are counted as one.
const (
	samples   = 3
	maxLength = 160
	maxNames  = 10_000
	others    = "(others)"
)

// Ran returns how many requests ran.
func (s *Summary) Ran() int { return s.Outcomes[Agrees] + s.Outcomes[Differs] }

// Undecided returns for how many requests admsim cannot tell the answer, and the number of all requests that are neither
// skipped nor broken.
func (s *Summary) Undecided() (undecided, requests int) {
	undecided = s.Outcomes[CannotTell]
	return undecided, undecided + s.Ran()
}

// Add counts a line. If it panics, the line is counted as a bug.
func (s *Summary) Add(l *Line) {
	if err := s.guarded(l); err != nil {
		increase(&s.CannotTell, string(recording.BugInAdmsim))
		s.addBug(l, err.Error())
	}
}

func (s *Summary) guarded(l *Line) (err error) {
	defer bug.Catch(&err)
	s.add(l)
	return nil
}

func (s *Summary) addBug(l *Line, why string) {
	if len(s.Bugs) < samples {
		s.Bugs = append(s.Bugs, BrokenPart{At: l.Position().String(), Why: why})
	}
}

// addBroken keeps the first parts. That a file is damaged explains the other parts of it, and is only known at its end.
func (s *Summary) addBroken(part BrokenPart) {
	at := len(s.Broken)
	if part.Code == recording.Damaged {
		at = 0
		for at < len(s.Broken) && s.Broken[at].Code == recording.Damaged {
			at++
		}
	}
	s.Broken = slices.Insert(s.Broken, at, part)
	s.Broken = s.Broken[:min(len(s.Broken), samples)]
}

func (s *Summary) addFirst(l *Line) {
	if s.First == nil {
		s.First = map[string]string{}
	}
	if code := string(l.Reason.Code); s.First[code] == "" {
		s.First[code] = l.Position().String()
	}
}

func (s *Summary) add(l *Line) {
	s.Total++
	increase(&s.Outcomes, l.Outcome)
	switch l.Outcome {
	case Skipped:
		increase(&s.Skipped, string(l.Reason.Code))
		s.addFirst(l)
	case CannotTell:
		increase(&s.CannotTell, string(l.Reason.Code))
		s.addFirst(l)
		if l.Reason.Code == recording.BugInAdmsim {
			s.addBug(l, l.Reason.Detail)
		}
	case Broken:
		s.addBroken(BrokenPart{At: l.Position().String(), Code: l.Reason.Code, Why: l.Reason.Detail})
	}
	if !l.Outcome.Ran() {
		return
	}
	for _, u := range l.Unknown {
		increase(&s.Unknown, string(u.Code))
	}
	differs := l.Outcome == Differs
	count(&s.Resources, l.resource(), differs)
	count(&s.Namespaces, l.Namespace, differs)
	count(&s.Users, l.User, differs)
	fault := l.atFault()
	for _, w := range l.Webhooks {
		count(&s.Webhooks, w, slices.Contains(fault, w))
	}
	for _, w := range fault {
		if !slices.Contains(l.Webhooks, w) { // called in the cluster only
			count(&s.Webhooks, w, true)
		}
	}
	s.addKinds(l)
}

func (s *Summary) addKinds(l *Line) {
	seen := map[string]bool{}
	verdicts := slices.ContainsFunc(l.Differences, func(d Difference) bool { return d.What == Allowed })
	for _, d := range l.Differences {
		if verdicts && slices.Contains([]What{Code, Message, Status}, d.What) {
			continue // it follows from Allowed
		}
		path, by := general(d.Path), Denied{}
		name := string(d.What) + " " + path
		if d.Denied != nil {
			by = *d.Denied
			name += "by " + by.By
		}
		if seen[name] {
			continue
		}
		seen[name] = true
		k := s.Kinds[name]
		if k == nil && len(s.Kinds) >= maxNames {
			path, name, by = "", others, Denied{}
			k = s.Kinds[name]
		}
		if k == nil {
			if s.Kinds == nil {
				s.Kinds = map[string]*Kind{}
			}
			k = &Kind{What: d.What, Path: path, DeniedBy: by.By, Source: by.Source}
			s.Kinds[name] = k
		}
		k.Requests++
		sample := l.sample(d)
		if sample.Unsure != "" {
			k.Unsure++
		}
		if len(k.Samples) < samples {
			k.Samples = append(k.Samples, sample)
		}
	}
}

func (l *Line) resource() string {
	name := l.Resource
	if l.Group != "" {
		name += "." + l.Group
	}
	if l.Subresource != "" {
		name += "/" + l.Subresource
	}
	return name
}

// Asked returns the request in the words of kubectl.
func (l *Line) Asked() string {
	request := l.Verb + " " + l.resource()
	if l.Namespace != "" {
		return request + " " + l.Namespace + "/" + l.Name
	}
	return request + " " + l.Name
}

func (l *Line) sample(d Difference) Sample {
	s := Sample{
		At: l.Position().String(), Request: l.Asked(), User: l.User, Webhook: d.Webhook,
		Recorded: Short(string(d.Recorded)), Simulated: Short(string(d.Simulated)),
	}
	if d.Denied != nil {
		s.Message = d.Denied.Message
	}
	if d.What == Allowed {
		s.Said = l.said()
	}
	s.Because = d.Because
	s.Unsure = l.unsure()
	return s
}

// said returns the message of a denial that only the cluster made.
func (l *Line) said() (message string) {
	for _, d := range l.Differences {
		if d.What == Message && d.Simulated == nil {
			_ = json.Unmarshal(d.Recorded, &message) // no message otherwise
		}
	}
	return message
}

// unsure returns why the object may have been different before.
func (l *Line) unsure() string {
	for _, u := range l.Unknown {
		switch u.Code {
		case recording.OldStale, recording.OldNewer, recording.OldBehind:
			return u.Detail
		case recording.WithoutManaged:
			return u.Code.Meaning()
		}
	}
	return ""
}

// Short returns the beginning of a long text.
func Short(text string) string {
	if len(text) <= maxLength {
		return text
	}
	text = text[:maxLength]
	for !utf8.ValidString(text) {
		text = text[:len(text)-1]
	}
	return strings.TrimRight(text, " ") + "…"
}

var numbers = regexp.MustCompile(`\[\d+\]|round_\d+|index_\d+`)

// general returns the path without what varies between requests.
func general(path string) string {
	return numbers.ReplaceAllStringFunc(path, func(found string) string {
		if found[0] == '[' {
			return "[*]"
		}
		return found[:strings.IndexByte(found, '_')+1] + "*"
	})
}

func increase[K comparable](counts *map[K]int, key K) {
	if *counts == nil {
		*counts = map[K]int{}
	}
	(*counts)[key]++
}

func count(counts *map[string]*Count, name string, differs bool) {
	if *counts == nil {
		*counts = map[string]*Count{}
	}
	c := (*counts)[name]
	if c == nil && len(*counts) >= maxNames {
		name = others
		c = (*counts)[name]
	}
	if c == nil {
		c = &Count{}
		(*counts)[name] = c
	}
	c.Ran++
	if differs {
		c.Differ++
	}
}
