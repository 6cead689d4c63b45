import { compareKeys, keyBefore } from '../../../../src/platform/text/key-order.ts'
import { numberedName } from '../../../../src/platform/text/numbered-name.ts'
import { type Entry, nameOf, parentOf } from '../entries/entry.ts'

/** Lists up to 1,000 keys after this one, in listing order. */
export type ListKeysAfter = (startAfter: string) => Promise<{
  readonly keys: readonly string[]
  readonly entries?: readonly Entry[]
  readonly isLast: boolean
}>

/**
 * Returns the `keys` that exist, with their entries if the listing has them. Walks both sides in listing order and
 * requests a page only
 * where one of `keys` may be: one request for an empty folder, and never more than there are keys
 * or pages.
 */
export async function findClashes(
  keys: readonly string[],
  listKeysAfter: ListKeysAfter,
): Promise<Map<string, Entry | undefined>> {
  const wanted = [...new Set(keys)].sort(compareKeys)
  const found = new Map<string, Entry | undefined>()
  let next = 0
  let startAfter = keyBefore(wanted[0] ?? '')
  while (next < wanted.length) {
    const page = await listKeysAfter(startAfter)
    const existing = new Set(page.keys)
    const entries = new Map(page.entries?.map((entry) => [entry.key, entry]))
    const last = page.keys.at(-1)
    while (next < wanted.length) {
      const key = wanted[next] as string
      if (!page.isLast && (last === undefined || compareKeys(key, last) > 0)) break
      if (existing.has(key)) found.set(key, entries.get(key))
      next += 1
    }
    startAfter = after(last ?? startAfter, wanted[next] ?? '')
  }
  return found
}

function after(last: string, wanted: string): string {
  const before = keyBefore(wanted)
  return compareKeys(before, last) > 0 ? before : last
}

/** The maximum number to try for a name. */
const maxNumber = 1_000

/**
 * A free key for each of `taken`: `a.txt` becomes `a (2).txt`, or the next free number.
 * `isReserved` marks keys that are reserved but do not exist yet.
 */
export async function freeKeys(
  taken: readonly string[],
  listKeysAfter: ListKeysAfter,
  isReserved: (key: string) => boolean,
): Promise<Map<string, string>> {
  const free = new Map<string, string>()
  const given = new Set<string>()
  let open = [...taken]
  for (let number = 2; open.length > 0 && number <= maxNumber; number += 1) {
    const candidates = open.map((key) => parentOf(key) + numberedName(nameOf(key), number))
    const existing = await findClashes(candidates, listKeysAfter)
    open = open.filter((key, index) => {
      const candidate = candidates[index] as string
      if (existing.has(candidate) || given.has(candidate) || isReserved(candidate)) return true
      given.add(candidate)
      free.set(key, candidate)
      return false
    })
  }
  return free
}
