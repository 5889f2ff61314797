package main

import "time"

// fixedNow is the clock of tests.
func fixedNow() time.Time { return time.Date(2024, 5, 6, 7, 8, 9, 0, time.UTC) }
