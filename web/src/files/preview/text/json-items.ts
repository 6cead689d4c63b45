/** An item of a list, or a field of an object, by its position in a JSON text. */
export interface JsonItem {
  readonly name: string
  readonly start: number
  readonly end: number
}

/** Why a text is not JSON, in the words of the browser; undefined if it is. */
export function jsonProblem(text: string): string | undefined {
  try {
    JSON.parse(text)
    return undefined
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

const levels: Readonly<Record<string, number>> = { '[': 1, '{': 1, ']': -1, '}': -1 }

/**
 * The items of the list or object that begins at `start`, in valid JSON. The text itself is shown: `JSON.parse` rounds
 * long numbers, moves numeric names to the front, and keeps only the last of duplicate names.
 */
export function itemsOf(text: string, start: number): readonly JsonItem[] {
  const tokens = /"[^"\\]*(?:\\.[^"\\]*)*"|[[\]{},:]/gs
  tokens.lastIndex = start + 1
  const items: JsonItem[] = []
  let level = 0
  let from = start + 1
  let name: string | undefined
  for (const { 0: mark, index } of text.matchAll(tokens)) {
    level += levels[mark] ?? 0
    if (level > 0 || (level === 0 && mark !== ',' && mark !== ':')) continue
    const place = trimmed(text, from, index)
    from = index + 1
    if (mark === ':') {
      name = String(JSON.parse(text.slice(place.start, place.end)))
      continue
    }
    if (place.end > place.start) items.push({ ...place, name: name ?? `${items.length}` })
    if (level < 0) break
  }
  return items
}

export function trimmed(text: string, start: number, end: number) {
  const slice = text.slice(start, end)
  const from = start + slice.length - slice.trimStart().length
  return { start: from, end: Math.max(from, end - (slice.length - slice.trimEnd().length)) }
}
