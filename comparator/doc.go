// Package comparator tells the wish from the reality. It is one pure function: same input,
// same output, whatever the order of the input.
package comparator
