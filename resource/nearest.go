package resource

// Nearest finds the candidate that a word most likely means: the one with the fewest letters
// inserted, omitted, changed or swapped, if that is few for its length: one of three, two of five. Of
// equally near ones it returns the first.
func Nearest(word string, candidates []string) (string, bool) {
	best, found := max(1, (len(word)+1)/3), ""
	for _, c := range candidates {
		if d := Distance(word, c); d < len(c) && (d < best || d == best && found == "") {
			best, found = d, c
		}
	}
	return found, found != ""
}

// Distance is the edit distance with swaps of adjacent letters, over bytes.
func Distance(a, b string) int {
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(b)]
}
