// Package loop reconciles stacks continuously. For each stack it leads, or stands by for the
// instance that leads; it observes so that a slow location does not delay the others, plans, applies
// if it should, and reports alerts. It uses only the engine's exported methods.
package loop
