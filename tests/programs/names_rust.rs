// SPDX-License-Identifier: GPL-2.0-only
// Two threads fight over atomics of a struct on the heap.
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::Arc;
use std::thread;

#[repr(C, align(64))]
pub struct Stats {
    limit: u64,
    hits: AtomicU64,
    misses: AtomicU64,
}

#[inline(never)]
fn count_hit(s: &Stats) {
    s.hits.fetch_add(1, Ordering::Relaxed);
}

#[inline(never)]
fn count_miss(s: &Stats) {
    s.misses.fetch_add(1, Ordering::Relaxed);
}

fn main() {
    let s = Arc::new(Stats { limit: 7, hits: AtomicU64::new(0), misses: AtomicU64::new(0) });
    let other = s.clone();
    let t = thread::spawn(move || (0..20000).for_each(|_| count_hit(&other)));
    (0..20000).for_each(|_| count_miss(&s));
    t.join().unwrap();
    println!("{} {}", s.limit, s.hits.load(Ordering::Relaxed));
}
