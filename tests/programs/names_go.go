// SPDX-License-Identifier: GPL-2.0-only
// Two goroutines fight over the counters of a slice.
package main

import (
	"sync"
	"sync/atomic"
)

type counter struct {
	limit uint32
	hits  uint32
}

//go:noinline
func count(c *counter, rounds int) {
	for i := 0; i < rounds; i++ {
		atomic.AddUint32(&c.hits, 1)
	}
}

func main() {
	counters := make([]counter, 8)
	var wg sync.WaitGroup
	for i := 0; i < 2; i++ {
		wg.Add(1)
		go func(c *counter) {
			count(c, 100000)
			wg.Done()
		}(&counters[i])
	}
	wg.Wait()
}
