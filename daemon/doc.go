// Package daemon wires implementations to services, supervises what lives long and shuts it down in order. It is the only
// package that sees implementations of stores, providers and tools, and it decides nothing about chains itself.
package daemon
