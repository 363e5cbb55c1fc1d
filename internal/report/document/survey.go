package document

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/admsim/admsim/internal/report/words"
	"github.com/admsim/admsim/pkg/report"
)

// SurveyKind is the kind of answers about all requests.
const SurveyKind = "Survey"

// A Survey is the answer to a question about all possible requests, in the form of regions.
type Survey struct {
	report.TypeMeta
	Question string `json:"question"`
	Base     string `json:"base,omitempty"` // the world that the other is compared with
	World    string `json:"world"`

	Subjects []SurveySubject `json:"subjects"` // what the answer is about, such as the webhooks that changed
	Same     []Actor         `json:"same,omitempty"`
	Unseen   []string        `json:"unseen,omitempty"` // resources that no validator ever checks
	// Uncompared lists changes that do not affect which requests are asked about.
	Uncompared []SettingChange `json:"uncompared,omitempty"`
	// Resources that rules name but no world serves: nothing is known about requests to them.
	Unserved []string   `json:"unserved,omitempty"`
	Size     SurveySize `json:"size"`
}

func (*Survey) whatif() {}

// A SettingChange is a changed field of a webhook or policy that does not affect which requests it is asked about.
type SettingChange struct {
	Webhook Actor  `json:"webhook"`
	Field   string `json:"field"`
	From    string `json:"from,omitempty"` // if it is short
	To      string `json:"to,omitempty"`
	Source  string `json:"source,omitempty"`
}

// What describes the change.
func (c SettingChange) What() string {
	if c.From == "" && c.To == "" {
		return c.Field
	}
	return c.Field + " " + cmp.Or(c.From, "unset") + " → " + cmp.Or(c.To, "unset")
}

// A SurveySize is the size of the space of requests in which the answer was found.
type SurveySize struct {
	Endpoints  int `json:"endpoints"`  // operations on resources and subresources
	Dimensions int `json:"dimensions"` // ways in which requests to an endpoint differ
}

// String says of how many requests a statement is proved.
func (s SurveySize) String() string {
	text := words.Plural(s.Endpoints, "operation") + " on resources"
	if s.Dimensions > 0 {
		text += ", with all values of the " + words.AreCounted(s.Dimensions, "property", "properties") + " that it depends on (such as namespaces, labels or users)"
	}
	return text
}

// openNote explains the conditions in the text of regions.
const openNote = "Expressions between backticks are not evaluated: each may be true, false or an error."

// The questions.
const (
	SurveyOfChanges = "diff"
	SurveyOfHooks   = "explain"
	SurveyOfOutages = "outage"
	SurveyOfGaps    = "gaps"
)

// A SurveySubject is a webhook, a policy with one of its bindings, or another thing that the question is about.
type SurveySubject struct {
	Kind    string `json:"kind"` // such as "validating webhook"
	Webhook Actor  `json:"webhook,omitzero"`
	Name    string `json:"name,omitempty"` // if it is not a webhook or policy
	Change  string `json:"change,omitempty"`
	Before  *Actor `json:"before,omitempty"` // its name in base, if it has another name now
	About   string `json:"about,omitempty"`  // anything else to know about it

	Regions []SurveyRegion `json:"regions"`
}

// Title returns the name of the subject.
func (s SurveySubject) Title() string {
	name := s.Name
	if s.Webhook != (Actor{}) {
		name = s.Webhook.String()
	}
	return strings.TrimSpace(s.Kind + " " + name)
}

// A SurveyRegion is a set of requests to which the same happens, described by one sentence.
type SurveyRegion struct {
	What       string   `json:"what"`
	Operations []string `json:"operations"`
	Resources  []string `json:"resources"`
	Where      []string `json:"where,omitempty"`
	Text       string   `json:"text"` // the whole sentence

	// Open lists conditions about which nothing is known except whether they are the same. The statement about the
	// region holds whatever their results are.
	Open []string `json:"open,omitempty"`
	// Vague is set if there are more conditions than the sentence says.
	Vague bool `json:"vague,omitempty"`

	Witness *SurveyWitness `json:"witness,omitempty"`
}

// A SurveyWitness is one of the requests.
type SurveyWitness struct {
	Request Sample `json:"request"`
	// Manifest is a List that admsim run accepts with -C: the AdmissionReview, and the namespace if the cluster does
	// not have it.
	Manifest json.RawMessage `json:"manifest"`
	// Needs lists the open conditions that the request should meet, which the manifest may not.
	Needs []string `json:"needs,omitempty"`
	// Because says why a policy refuses the request without being asked, if params are missing.
	Because string `json:"because,omitempty"`
}

// String describes the request, with what it needs and why it is refused.
func (w *SurveyWitness) String() string {
	text := w.Request.String()
	if len(w.Needs) > 0 {
		text += ", if " + strings.Join(w.Needs, " and ")
	}
	if w.Because != "" {
		text += ": " + w.Because
	}
	return text
}

// None returns the text for a subject without regions.
func (s *Survey) None() string {
	switch s.Question {
	case SurveyOfGaps:
		return "no gap: a validator looks at every request"
	case SurveyOfOutages:
		return "no request fails, and none passes unchecked"
	}
	return "asked about no request"
}

// What happens to the requests of a region.
const (
	NewlyAsked      = "newly-asked"
	NoLongerAsked   = "no-longer-asked"
	NewlyRefused    = "newly-refused"
	NoLongerRefused = "no-longer-refused"
	IsAsked         = "asked"
	IsRefused       = "refused"
	IsFailing       = "conditions-fail"
	WouldFail       = "fails"
	WouldPass       = "unchecked"
	IsUnseen        = "unseen"
	IsSeenOpen      = "only-fail-open"
)

// SurveyWords describes what happens.
func SurveyWords(what string) string {
	switch what {
	case NewlyAsked:
		return "is newly asked about"
	case NoLongerAsked:
		return "is no longer asked about"
	case NewlyRefused:
		return "newly refuses without being asked"
	case NoLongerRefused:
		return "no longer refuses without being asked"
	case IsAsked:
		return "is asked about"
	case IsRefused:
		return "refuses without being asked"
	case IsFailing:
		return "refuses without being asked, because its match conditions fail"
	case WouldFail:
		return "these requests fail"
	case WouldPass:
		return "these requests pass unchecked"
	case IsUnseen:
		return "stored without a check by any of these webhooks and policies"
	case IsSeenOpen:
		return "checked only by those that let requests pass when they fail (failurePolicy: Ignore)"
	}
	return what
}

// Changed returns how many webhooks and policies are asked about other requests than before.
func (s *Survey) Changed() (n int) {
	for _, one := range s.Subjects {
		if len(one.Regions) > 0 {
			n++
		}
	}
	return n
}

// Refails reports whether a failurePolicy changed.
func (s *Survey) Refails() bool {
	return slices.ContainsFunc(s.Uncompared, func(c SettingChange) bool { return c.Field == "failurePolicy" })
}

// Has reports whether this happens to any request.
func (s *Survey) Has(what string) bool {
	for _, one := range s.Subjects {
		for _, r := range one.Regions {
			if r.What == what {
				return true
			}
		}
	}
	return false
}

// IsOpen reports whether the answer depends on conditions about which nothing is known.
func (s *Survey) IsOpen() bool {
	for _, one := range s.Subjects {
		for _, r := range one.Regions {
			if len(r.Open) > 0 {
				return true
			}
		}
	}
	return false
}

// Title returns the answer in one line.
func (s *Survey) Title() string {
	switch s.Question {
	case SurveyOfChanges:
		n := s.Changed()
		if n == 0 {
			return fmt.Sprintf("%s → %s: every webhook and policy is asked for exactly the same requests", s.Base, s.World)
		}
		return fmt.Sprintf("%s → %s: %d of %d webhooks and policies are asked for other requests", s.Base, s.World, n, len(s.Subjects)+len(s.Same))
	}
	if s.Question == SurveyOfGaps {
		gaps := 0
		for _, one := range s.Subjects {
			if len(one.Regions) > 0 {
				gaps++
			}
		}
		return fmt.Sprintf("all requests to %s: %d of %s can also be written without a check", s.World, gaps, words.Plural(len(s.Subjects), "checked resource"))
	}
	return "all requests to " + s.World
}

// Notes returns the limits of the proof.
func (s *Survey) Notes() (notes []string) {
	note := "This holds for all possible requests: " + s.Size.String() + "."
	if s.IsOpen() {
		note += " " + openNote
	}
	notes = append(notes, s.uncompared()...)
	if len(s.Unserved) > 0 {
		notes = append(notes, unservedNote(s.Unserved))
	}
	if n := len(s.Unseen); n > 0 {
		notes = append(notes, fmt.Sprintf("No webhook and no policy checks %s.", words.Plural(n, "other resource")))
	}
	return append(notes, note)
}

// uncompared returns the changes that do not affect which requests are asked about; equal changes are combined.
func (s *Survey) uncompared() (notes []string) {
	who := map[string][]string{}
	var order []string
	for _, c := range s.Uncompared {
		what := c.What()
		if who[what] == nil {
			order = append(order, what)
		}
		about := slices.DeleteFunc([]string{c.Webhook.Kind, c.Source}, func(s string) bool { return s == "" })
		who[what] = append(who[what], c.Webhook.who()+" ("+strings.Join(about, ", ")+")")
	}
	for _, what := range order {
		notes = append(notes, "Changed, but not compared: "+what+" of "+few(who[what]))
	}
	return notes
}

// unservedNote says that nothing is known about requests to resources.
func unservedNote(names []string) string {
	return "Rules name resources that are not served, so nothing is said of requests to them: " + few(names) + ". Add their CustomResourceDefinitions."
}

// maxNamed is how many items of a list a note names.
const maxNamed = 8

// few returns a list that names only the first few.
func few(all []string) string {
	if more := len(all) - maxNamed; more > 1 {
		return strings.Join(all[:maxNamed], ", ") + fmt.Sprintf(" and %d more", more)
	}
	if n := len(all); n > 1 {
		return strings.Join(all[:n-1], ", ") + " and " + all[n-1]
	}
	return all[0]
}
