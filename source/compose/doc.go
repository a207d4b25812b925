// Package compose turns a Compose file into a chart. It reads the common part of Compose and lists
// everything that it leaves aside, with its position and what to do instead: nothing of a file is
// dropped silently. It writes nothing and asks no system; what it reads besides the file are the
// variables of the .env file beside it, and whether a mounted path is a file.
//
// Variables become values of the chart: ${TAG:-1} is {{ .Values.TAG }}, with 1 in values.yaml.
package compose
