package patch

import (
	"bytes"
	"slices"
)

// A list keeps its items in chunks, so that items are inserted or removed anywhere without moving all items behind
// them: patches may put tens of thousands of items at the beginning of a list.
type list struct {
	chunks [][]*node // none is empty
	length int
}

// mostInChunk is the largest size of a chunk; larger ones are split.
const mostInChunk = 1024

func readList(raw []byte) *list {
	l := &list{}
	for at := spaceEnd(raw, 1); raw[at] != ']'; {
		end := valueEnd(raw, at)
		l.insert(l.length, &node{raw: raw[at:end]})
		if at = spaceEnd(raw, end); raw[at] == ',' {
			at = spaceEnd(raw, at+1)
		}
	}
	return l
}

// len returns the number of items; a nil list has none.
func (l *list) len() int {
	if l == nil {
		return 0
	}
	return l.length
}

// locate returns the chunk of item i, and the index in that chunk. The end of the list is after the last item of the
// last chunk.
func (l *list) locate(i int) (chunk, at int) {
	last := len(l.chunks) - 1
	for chunk < last && i >= len(l.chunks[chunk]) {
		i -= len(l.chunks[chunk])
		chunk++
	}
	return chunk, i
}

func (l *list) get(i int) *node {
	chunk, at := l.locate(i)
	return l.chunks[chunk][at]
}

func (l *list) set(i int, value *node) {
	chunk, at := l.locate(i)
	l.chunks[chunk][at] = value
}

func (l *list) insert(i int, value *node) {
	l.length++
	if len(l.chunks) == 0 {
		l.chunks = [][]*node{{value}}
		return
	}
	chunk, at := l.locate(i)
	items := slices.Insert(l.chunks[chunk], at, value)
	l.chunks[chunk] = items
	if half := len(items) / 2; len(items) > mostInChunk {
		l.chunks[chunk] = items[:half:half]
		l.chunks = slices.Insert(l.chunks, chunk+1, slices.Clone(items[half:]))
	}
}

func (l *list) remove(i int) {
	l.length--
	chunk, at := l.locate(i)
	if l.chunks[chunk] = slices.Delete(l.chunks[chunk], at, at+1); len(l.chunks[chunk]) == 0 {
		l.chunks = slices.Delete(l.chunks, chunk, chunk+1)
	}
}

func (l *list) all(yield func(int, *node) bool) {
	i := 0
	for _, chunk := range l.chunks {
		for _, item := range chunk {
			if !yield(i, item) {
				return
			}
			i++
		}
	}
}

func (l *list) write(b *bytes.Buffer) {
	b.WriteByte('[')
	for i, item := range l.all {
		if i > 0 {
			b.WriteByte(',')
		}
		item.write(b)
	}
	b.WriteByte(']')
}
