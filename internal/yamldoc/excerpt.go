package yamldoc

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Find returns the place of a character of an expression. The server compiles some expressions without the surrounding
// white space: shown is the line as the server saw it.
func (s *Scalar) Find(line, column int, shown string) (Position, bool) {
	spared := len(s.value) - len(strings.TrimLeft(s.value, " \t\r\n"))
	start := s.value[:spared]
	for _, trimmed := range []bool{false, true} {
		text := s.value
		l, c := line, column
		if trimmed {
			text = text[spared:]
			if l == 1 {
				c += utf8.RuneCountInString(start[strings.LastIndexByte(start, '\n')+1:])
			}
			l += strings.Count(start, "\n")
		}
		lines := strings.Split(text, "\n")
		if line <= len(lines) && strings.TrimRight(AsShown(lines[line-1]), " ") == strings.TrimRight(shown, " ") {
			return s.at(l, c)
		}
	}
	return Position{}, false
}

// AsShown returns a line as CEL prints it.
func AsShown(line string) string { return strings.ReplaceAll(line, "\t", " ") }

// mostExcerpt is how many characters of a line an excerpt shows.
const mostExcerpt = 120

// Excerpt returns the line of a place with a mark below the place, as cel-go shows them.
func (c Chunk) Excerpt(at Position) string {
	line := []rune(AsShown(c.lineAt(at)))
	mark := min(int(at.column)-1, len(line))
	if len(line) > mostExcerpt {
		from := max(0, min(mark-mostExcerpt/2, len(line)-mostExcerpt))
		line, mark = line[from:from+mostExcerpt], mark-from
		if from > 0 {
			line = append([]rune("…"), line[1:]...)
		}
	}
	return fmt.Sprintf(" | %s\n | %s^", string(line), strings.Repeat(".", mark))
}
