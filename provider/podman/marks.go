package podman

// labelPrefix starts the labels that are ovi's own.
const labelPrefix = "ovi/"
