// Package read reads blocks of keys by tables of them: values, what comes from outside, and what is
// wrong with them. The tables are the only list of the keys.
package read
