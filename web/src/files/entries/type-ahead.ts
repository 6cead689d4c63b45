import type { Entry } from './entry.ts'

/** The text typed to find a row, and when. */
export interface Typed {
  readonly text: string
  readonly atMs: number
}

/** After this pause, a letter begins a new name. */
const pauseMs = 1_000

export function isTyping({ text, atMs }: Typed, nowMs: number): boolean {
  return text !== '' && nowMs - atMs < pauseMs
}

export function typedMore(before: Typed, letter: string, nowMs: number): Typed {
  return { text: isTyping(before, nowMs) ? before.text + letter : letter, atMs: nowMs }
}

/**
 * The row whose name begins with the text. Starts at the active row and wraps at the end; the same letter again goes
 * to the next match. -1: none.
 */
export function typedIndex(entries: readonly Entry[], active: number, text: string): number {
  const letters = Array.from(text)
  const isRepeated = letters.every((letter) => letter === letters[0])
  const wanted = (isRepeated ? (letters[0] ?? '') : text).toLowerCase()
  const first = isRepeated || active < 0 ? active + 1 : active
  for (let step = 0; step < entries.length; step += 1) {
    const index = (first + step) % entries.length
    if (entries[index]?.name.slice(0, wanted.length).toLowerCase() === wanted) return index
  }
  return -1
}
