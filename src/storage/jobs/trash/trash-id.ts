import { randomBytes } from 'node:crypto'

/** Base 36 has nine digits until the year 5188. */
const digits = 9
const latestMs = 36 ** digits - 1
const form = /^[0-9a-z]{9}-[0-9a-f]{8}$/

/**
 * Names one deletion: its objects are in the trash under `<id>/<key>`. Later ones come first in the order of keys.
 */
export function newTrashId(nowMs: number): string {
  return `${trashIdsUntil(nowMs)}-${randomBytes(4).toString('hex')}`
}

/** The ids of what was deleted at this time or before follow this text in the order of keys. */
export function trashIdsUntil(timeMs: number): string {
  const left = Math.min(Math.max(latestMs - Math.floor(timeMs), 0), latestMs)
  return left.toString(36).padStart(digits, '0')
}

export function isTrashId(text: string): boolean {
  return form.test(text)
}

/** When it was deleted, milliseconds since the epoch. */
export function timeOfTrashId(id: string): number {
  return latestMs - Number.parseInt(id.slice(0, digits), 36)
}
