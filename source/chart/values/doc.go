// Package values reads the values of a chart: of its own file, of files that a user gives, and of
// --set. The last wins. What only a user's files hold is kept out of messages.
package values
