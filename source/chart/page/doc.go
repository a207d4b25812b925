// Package page reads the files of a chart as texts, and splits what its templates render to into
// documents. Every node keeps its position in the file that a user wrote.
package page
