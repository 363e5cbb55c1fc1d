package redact

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"html"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/admsim/admsim/internal/jsonpointer"
)

// A secret of up to shortSecret bytes is not searched for in texts: it would be found where it is not meant. One that
// an expression made is, but only between characters that are not letters or digits.
const shortSecret = 5

// partLength is how much of a secret must be in a text to be found there. Anything shorter would be found in unrelated
// words.
const partLength = 8

// maxParts is how many parts of one form of a secret are stored at most. The longer the secret, the longer a part has
// to be so that it is certainly found.
const maxParts = 16 << 10

// publicText is part of so many secrets that it is not secret itself: the text around keys and certificates and in
// addresses. It includes the beginning of the words that replace secrets.
const publicText = "-----begin rsa ec private key----- -----end encrypted private key----- -----begin openssh private key-----" +
	" -----begin certificate----- -----end certificate request----- -----begin public key-----" +
	" eyjhbgcioijub25lin0. eyjhbgcioijsuzi1niisimtpzci6i eyjhbgcioijiuzi1niisinr5cci6ikpxvcj9. https:// http:// postgres:// .svc.cluster.local localhost:8080 kubernetes.io username password registry redacted-"

// wordForm matches the words that replace secrets.
var wordForm = regexp.MustCompile(`^REDACTED-\d+$`)

// A finder finds secrets in texts: as they are, in the forms in which programs write them, in upper and lower case, and
// parts of them.
type finder struct {
	starts     map[string]start // by their first partLength bytes, in lower case
	shortForms []written        // forms shorter than that
}

// A start holds the forms and the part that begin with the same bytes.
type start struct {
	forms []written // the longest first
	part  part
}

// A written is one form of a secret, in lower case, and the word that replaces it.
type written struct {
	text, word string
	secret     string // empty: a text that was made of secrets
	alone      bool   // matches only between characters that are not letters or digits, and in the same case
}

// A part is a part of a secret: its position in one of the secret's forms.
type part struct {
	form   string // the whole form; empty: no part
	at     int
	word   string
	secret string
}

// newFinder returns a finder for secrets, given with the words that replace them. Public text is not found as a part of
// a secret.
func newFinder(words map[string]string, made map[string]bool, public []string) *finder {
	f := &finder{starts: map[string]start{}}
	known := map[string]bool{}
	for _, text := range append([]string{publicText}, public...) {
		known[lower(text)] = true
	}
	common := map[string]bool{}
	for text := range known {
		for i := 0; i+partLength <= len(text); i++ {
			common[text[i:i+partLength]] = true
		}
	}
	secrets := make([]string, 0, len(words))
	for secret := range words {
		if !wordForm.MatchString(secret) && !known[lower(secret)] {
			secrets = append(secrets, secret)
		}
	}
	slices.Sort(secrets) // sorted, so that the results are the same each time
	for _, secret := range secrets {
		word := words[secret]
		switch {
		case made[secret]:
			f.addMade(secret, word)
			continue
		case len(secret) <= shortSecret:
			continue
		}
		for _, text := range slices.Concat([]string{secret}, escaped(secret), encodings(secret)) {
			f.add(written{text: text, word: word, secret: secret})
		}
		for _, text := range slices.Concat([]string{secret, reversed(secret), hex.EncodeToString([]byte(secret))}, shifted(secret)) {
			f.addParts(part{form: lower(text), word: word, secret: secret}, common)
		}
	}
	f.sort()
	return f
}

func (f *finder) add(one written) {
	if one.text == "" {
		return
	}
	if !one.alone {
		one.text = lower(one.text)
	}
	if len(one.text) < partLength {
		if !slices.Contains(f.shortForms, one) {
			f.shortForms = append(f.shortForms, one)
		}
		return
	}
	s := f.starts[one.text[:partLength]]
	if !slices.Contains(s.forms, one) {
		s.forms = append(s.forms, one)
	}
	f.starts[one.text[:partLength]] = s
}

// addMade adds a text that was made of secrets.
func (f *finder) addMade(text, word string) {
	for _, one := range append(escaped(text), text) {
		f.add(written{text: one, word: word, alone: len(one) <= shortSecret})
	}
}

// addParts adds every part of the form that of names, except common ones.
func (f *finder) addParts(of part, common map[string]bool) {
	text := of.form
	stride := 1 + len(text)/maxParts
	for i := 0; i+partLength <= len(text); i += stride {
		begin := text[i : i+partLength]
		if s := f.starts[begin]; s.part.form == "" && !common[begin] && strings.TrimSpace(begin) != "" {
			s.part = part{form: text, at: i, word: of.word, secret: of.secret}
			f.starts[begin] = s
		}
	}
}

// hide returns text with secrets replaced by their words, except those that turn out to be public.
func (f *finder) hide(text string, public func(secret string) bool) string {
	if len(f.starts) == 0 && len(f.shortForms) == 0 {
		return text
	}
	low := lower(text)
	var b strings.Builder
	kept := 0 // text before this index is written
	for i := 0; i < len(text); {
		from, to, word := f.find(text, low, kept, i, public)
		if word == "" {
			i++
			continue
		}
		b.WriteString(text[kept:from])
		b.WriteString(word)
		kept, i = to, to
	}
	if kept == 0 {
		return text
	}
	b.WriteString(text[kept:])
	return b.String()
}

// find looks for a secret at i. Text before kept has been replaced already.
func (f *finder) find(text, low string, kept, i int, public func(secret string) bool) (from, to int, word string) {
	if i+partLength <= len(low) {
		if s, ok := f.starts[low[i:i+partLength]]; ok {
			for _, one := range s.forms {
				if strings.HasPrefix(low[i:], one.text) && !public(one.secret) {
					return i, i + len(one.text), one.word
				}
			}
			if p := s.part; p.form != "" && !public(p.secret) {
				from, to := i, i+partLength
				for at := p.at; from > kept && at > 0 && low[from-1] == p.form[at-1]; at-- {
					from--
				}
				for at := p.at + partLength; to < len(low) && at < len(p.form) && low[to] == p.form[at]; at++ {
					to++
				}
				return from, to, p.word
			}
		}
	}
	for _, one := range f.shortForms {
		found := strings.HasPrefix(low[i:], one.text)
		if one.alone {
			found = strings.HasPrefix(text[i:], one.text) && isAlone(text, i, i+len(one.text))
		}
		if found && !public(one.secret) {
			return i, i + len(one.text), one.word
		}
	}
	return i, i, ""
}

// isAlone reports whether text[from:to] is not part of a longer word.
func isAlone(text string, from, to int) bool {
	return (from == 0 || !isAlphanumeric(text[from-1])) && (to == len(text) || !isAlphanumeric(text[to]))
}

func isAlphanumeric(b byte) bool {
	return '0' <= b && b <= '9' || 'a' <= b && b <= 'z' || 'A' <= b && b <= 'Z' || b >= 0x80
}

// lower returns text with its ASCII letters in lower case; its length does not change.
func lower(text string) string {
	for i := range len(text) {
		if b := text[i]; 'A' <= b && b <= 'Z' {
			all := []byte(text)
			for i, b := range all {
				if 'A' <= b && b <= 'Z' {
					all[i] = b + 'a' - 'A'
				}
			}
			return string(all)
		}
	}
	return text
}

// escaped returns the forms of a text in JSON, Go, HTML, URLs and JSON pointers.
func escaped(text string) []string {
	inJSON := jsonText(text)
	escapedHTML, err := json.Marshal(text)
	if err != nil {
		escapedHTML = nil
	}
	return []string{
		inJSON, jsonText(inJSON), inner(string(escapedHTML)), jsonText(inner(string(escapedHTML))),
		inner(strconv.Quote(text)), inner(fmt.Sprintf("%+q", text)), html.EscapeString(text),
		url.QueryEscape(text), url.PathEscape(text),
		jsonpointer.Escape(text),
	}
}

// jsonText returns text as it is written in JSON, without the quotes.
func jsonText(text string) string {
	quoted, err := encode(text)
	if err != nil {
		return ""
	}
	return inner(string(quoted))
}

// inner removes the quotes.
func inner(quoted string) string {
	if len(quoted) < 2 {
		return ""
	}
	return quoted[1 : len(quoted)-1]
}

// encodings returns other forms of a whole secret.
func encodings(secret string) []string {
	all := []string{hex.EncodeToString([]byte(secret)), reversed(secret)}
	for _, e := range []*base64.Encoding{base64.StdEncoding, base64.RawStdEncoding, base64.URLEncoding, base64.RawURLEncoding} {
		once := e.EncodeToString([]byte(secret))
		all = append(all, once, reversed(once), e.EncodeToString([]byte(once)))
	}
	return append(all, shifted(secret)...)
}

// shifted returns the forms of a secret that is inside a base64-encoded text: it may begin at any of three positions in
// a group. Characters that depend on the text around it are left out.
func shifted(secret string) (all []string) {
	for _, e := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
		for before := range 3 {
			text := e.EncodeToString(append(make([]byte, before), secret...))
			text = text[(before*8+5)/6 : (before+len(secret))*8/6]
			if len(text) >= partLength && !slices.Contains(all, text) {
				all = append(all, text)
			}
		}
	}
	return all
}

func reversed(text string) string {
	all := []rune(text)
	slices.Reverse(all)
	return string(all)
}

// secretsIn returns the secrets in a secret that consists of several: the strings in JSON, including those in base64,
// the lines of a text, and the password in a URL.
func secretsIn(secret string) (all []string) {
	var value any
	if strings.HasPrefix(strings.TrimSpace(secret), "{") && decode([]byte(secret), &value) == nil {
		return stringsIn(value)
	}
	if strings.Contains(secret, "\n") && len(secret) < maxParts {
		for line := range strings.Lines(secret) {
			all = append(all, line)
			if _, value, ok := strings.Cut(line, "="); ok {
				all = append(all, value)
			}
		}
		return all
	}
	if u, err := url.Parse(secret); err == nil && u.User != nil {
		if password, ok := u.User.Password(); ok {
			all = append(all, password)
		}
	}
	return all
}

func stringsIn(value any) (all []string) {
	switch value := value.(type) {
	case string:
		all = append(all, value)
		if decoded, err := base64.StdEncoding.DecodeString(value); err == nil {
			if _, password, ok := strings.Cut(string(decoded), ":"); ok {
				all = append(all, password)
			}
		}
	case []any:
		for _, part := range value {
			all = append(all, stringsIn(part)...)
		}
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(value)) {
			all = append(all, stringsIn(value[key])...)
		}
	}
	return all
}

// newWholeFinder returns a finder that finds secrets only as a whole, and not if they are as short as a word.
func newWholeFinder(secrets []string) *finder {
	f := &finder{starts: map[string]start{}}
	for _, secret := range secrets {
		if len(secret) < partLength || strings.Contains(publicText, lower(secret)) {
			continue
		}
		for _, text := range slices.Concat([]string{secret}, escaped(secret), encodings(secret)) {
			f.add(written{text: text, word: "REDACTED", secret: secret})
		}
	}
	f.sort()
	return f
}

// sort puts the longest forms first.
func (f *finder) sort() {
	for at, s := range f.starts {
		slices.SortStableFunc(s.forms, func(a, b written) int { return len(b.text) - len(a.text) })
		f.starts[at] = s
	}
	slices.SortStableFunc(f.shortForms, func(a, b written) int { return len(b.text) - len(a.text) })
}
