/* SPDX-License-Identifier: GPL-2.0-only */
/* Marks a program as "hitmap cc" does, with nothing behind it. */
__attribute__((section(".note.hitmap"), used)) static const char names_hooks[16] = "";
