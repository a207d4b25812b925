// Package charts has the commands for containers from charts: install, upgrade, import compose and export.
package charts
