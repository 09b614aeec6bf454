//go:build race

package main

// raced says that the race detector is on, under which random pods cost many
// times as much.
const raced = true
