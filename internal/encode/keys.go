package encode

import "unicode"

// keyLess reports whether key a sorts before b: consecutive digits are compared as a number, and letters come after all
// other characters.
func keyLess(a, b []rune) bool {
	i := 0
	for i < len(a) && i < len(b) && a[i] == b[i] {
		i++
	}
	if i == len(a) || i == len(b) {
		return len(a) < len(b)
	}
	aLetter, bLetter := unicode.IsLetter(a[i]), unicode.IsLetter(b[i])
	switch {
	case aLetter && bLetter:
		return a[i] < b[i]
	case aLetter || bLetter:
		return bLetter
	}
	inNumber := false // whether a zero follows nonzero digits of its number
	if a[i] == '0' || b[i] == '0' {
		for j := i - 1; j >= 0 && unicode.IsDigit(a[j]); j-- {
			inNumber = inNumber || a[j] != '0'
		}
	}
	aNumber, aDigits := numberAt(a[i:], inNumber)
	bNumber, bDigits := numberAt(b[i:], inNumber)
	switch {
	case aNumber != bNumber:
		return aNumber < bNumber
	case aDigits != bDigits:
		return aDigits < bDigits
	}
	return a[i] < b[i]
}

// numberAt returns the number at the beginning of a text, and how many digits it has. If inside is set, the number is
// read as if a 1 stood before it.
func numberAt(text []rune, inside bool) (number int64, digits int) {
	if inside {
		number = 1
	}
	for digits < len(text) && unicode.IsDigit(text[digits]) {
		number = number*10 + int64(text[digits]-'0')
		digits++
	}
	return number, digits
}
