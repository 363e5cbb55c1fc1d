package encode

import "unicode"

// keyLess is the order of keys: digits that follow each other are a number, and a letter comes behind
// whatever is none.
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
	inNumber := false // a zero is not the first digit of its number
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

// numberAt is the number that a text begins with, behind a one if inside is set, and how many digits it has.
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
