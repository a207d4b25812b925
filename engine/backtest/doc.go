// Package backtest evaluates rules on the audit log: which decisions of past plans they would have
// blocked or allowed. It reads records and changes nothing.
package backtest
