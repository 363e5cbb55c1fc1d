package admission

import "strings"

// Annotations collects the audit annotations of one request. The first value of a key wins (W-249), and keys that are
// not qualified names are silently dropped (W-248). The zero value is ready to use.
type Annotations struct {
	values map[string]string
}

// Add records value under key.
func (a *Annotations) Add(key, value string) {
	if _, taken := a.values[key]; taken || !ValidAnnotationKey(key) {
		return
	}
	if a.values == nil {
		a.values = map[string]string{}
	}
	a.values[key] = value
}

// Map returns the annotations, or nil if there are none.
func (a *Annotations) Map() map[string]string { return a.values }

// ValidAnnotationKey reports whether the server accepts key as the key of an audit annotation: a qualified name with a
// prefix (kubernetes/apiserver:pkg/admission/attributes.go). It is called for each annotation of each webhook, so it
// avoids regular expressions.
func ValidAnnotationKey(key string) bool {
	prefix, name, _ := strings.Cut(key, "/")
	if len(name) > 63 || len(prefix) > 253 || !isWord(name, isNameLetter) {
		return false
	}
	for label := range strings.SplitSeq(prefix, ".") {
		if !isWord(label, isLabelLetter) {
			return false
		}
	}
	return true
}

// isWord reports whether text is not empty, consists of characters accepted by letter, and neither begins nor ends with
// a separator.
func isWord(text string, letter func(byte) bool) bool {
	for i := range len(text) {
		if !letter(text[i]) {
			return false
		}
	}
	return text != "" && !joins(text[0]) && !joins(text[len(text)-1])
}

func joins(c byte) bool { return c == '-' || c == '_' || c == '.' }

func isLabelLetter(c byte) bool { return 'a' <= c && c <= 'z' || '0' <= c && c <= '9' || c == '-' }

func isNameLetter(c byte) bool { return isLabelLetter(c) || 'A' <= c && c <= 'Z' || joins(c) }
