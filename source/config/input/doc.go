// Package input finds the files of a configuration and reads them as UTF-8 text with a digest. What
// cannot be read is a problem with its position.
package input
