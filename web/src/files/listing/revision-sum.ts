import type { Entry } from '../entries/entry.ts'

/**
 * The revision that the service returns for a folder with these entries, in any order
 * (src/console/management/folder-revisions.ts; a test compares the two).
 */
export function revisionOf(entries: readonly Entry[]): string {
  let low = 0
  let high = 0
  for (const entry of entries) {
    const text = textOf(entry)
    let lowHash = 0x811c9dc5
    let highHash = 0x9747b28c
    for (let index = 0; index < text.length; index += 1) {
      const unit = text.charCodeAt(index)
      lowHash = Math.imul(lowHash ^ unit, 0x01000193)
      highHash = Math.imul(highHash ^ unit, 0x85ebca6b)
    }
    low = (low + mixed(lowHash)) | 0
    high = (high + mixed(highHash)) | 0
  }
  return `${entries.length}-${hex(low)}${hex(high)}`
}

function textOf(entry: Entry): string {
  if (entry.kind === 'folder') return entry.key
  const { key, size, modifiedAtMs, etag } = entry
  return `${key}\n${size}\n${Math.floor(modifiedAtMs / 1_000)}\n${etag}`
}

function mixed(hash: number): number {
  const once = Math.imul(hash ^ (hash >>> 16), 0x7feb352d)
  const twice = Math.imul(once ^ (once >>> 15), 0x846ca68b)
  return twice ^ (twice >>> 16)
}

function hex(word: number): string {
  return (word >>> 0).toString(16).padStart(8, '0')
}
