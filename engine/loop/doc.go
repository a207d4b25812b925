// Package loop reconciles stacks continuously: it leads a stack or stands by for the instance
// that does, observes without letting a slow location delay the others, plans, applies where it
// is told to, and reports alerts. It uses the engine by its public methods alone.
package loop
