// Package backtest tries rules on what the audit log recorded: which decisions of past plans
// they would have blocked or let through. It reads records and changes nothing.
package backtest
