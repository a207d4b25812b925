package history

import "bytes"

// pruneFrom is the size from which it pays to prune a record before it is decoded.
const pruneFrom = 4 << 10

// pruned returns an encoded record without the elements of its long lists that do not contain the
// needle. An observation may have ten thousand resources, and only one is needed. Text that is not
// a record is returned unchanged. It relies on the form that Encode writes: one object, the event
// in a field of it, the lists in the event. Another form is copied whole, so that nothing is lost
// but time.
func pruned(raw, needle []byte) []byte {
	if len(raw) < pruneFrom {
		return raw
	}
	out := make([]byte, 0, pruneFrom)
	depth := 0
	for i := 0; i < len(raw); {
		switch raw[i] {
		case '{', '[':
			depth++
		case '}', ']':
			depth--
		case '"':
			end := stringEnd(raw, i)
			name := raw[i:end]
			out = append(out, name...)
			if i = end; depth == 2 && isLong(name) && bytes.HasPrefix(raw[i:], []byte(":[")) {
				out = append(out, ":["...)
				out, i = pruneList(out, raw, i+2, needle)
			}
			continue
		}
		out = append(out, raw[i])
		i++
	}
	return out
}

// isLong reports whether a quoted name belongs to a list that may be long.
func isLong(name []byte) bool {
	switch string(name) {
	case `"changed"`, `"displaced"`, `"gone"`, `"decisions"`, `"facts"`:
		return true
	}
	return false
}

// pruneList copies the elements that hold the needle, up to the end of the list.
func pruneList(out, raw []byte, i int, needle []byte) ([]byte, int) {
	first := true
	for i < len(raw) && raw[i] != ']' {
		end := valueEnd(raw, i)
		if end == i && raw[i] != ',' { // no list after all
			return append(out, raw[i:]...), len(raw)
		}
		if bytes.Contains(raw[i:end], needle) {
			if !first {
				out = append(out, ',')
			}
			out, first = append(out, raw[i:end]...), false
		}
		if i = end; i < len(raw) && raw[i] == ',' {
			i++
		}
	}
	if i < len(raw) {
		return append(out, ']'), i + 1
	}
	return out, i
}

// valueEnd is behind the value that begins at i.
func valueEnd(raw []byte, i int) int {
	for depth := 0; i < len(raw); i++ {
		switch raw[i] {
		case '"':
			i = stringEnd(raw, i) - 1
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth < 0 {
				return i
			}
		case ',':
			if depth == 0 {
				return i
			}
		}
	}
	return len(raw)
}

// stringEnd is behind the string that begins at i.
func stringEnd(raw []byte, i int) int {
	for i++; i < len(raw); i++ {
		switch raw[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(raw)
}
