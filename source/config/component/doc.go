// Package component reads the folders that a configuration uses in `use` blocks, and makes a unit of each use: a
// language of its own with the variables that its user sets, the blocks of its resources, and its outputs.
//
// A unit is made when it is read, or when an output of it is read, whichever comes first; the order of blocks
// changes nothing. A folder is read once. No folder outside of the repository is read, also through symbolic links, and
// the number of units and their depth have limits. Every problem has the line in the file of the component, and the
// place that uses it.
package component
