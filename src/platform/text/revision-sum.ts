/** An entry of a folder listing. */
type ListedEntry =
  | { readonly kind: 'folder'; readonly key: string }
  | {
      readonly kind: 'object' | 'file'
      readonly key: string
      readonly size: number
      readonly modifiedAtMs: number
      readonly etag: string
    }

/** The revision of a folder with these entries, in any order. */
export function revisionOf(entries: readonly ListedEntry[]): string {
  const sum = new RevisionSum()
  for (const entry of entries) sum.add(entry)
  return sum.text()
}

/** A checksum of a set of entries, independent of their order. */
export class RevisionSum {
  #count = 0
  #low = 0
  #high = 0

  add(entry: ListedEntry): void {
    const text = textOf(entry)
    let low = 0x811c9dc5
    let high = 0x9747b28c
    for (let index = 0; index < text.length; index += 1) {
      const unit = text.charCodeAt(index)
      low = Math.imul(low ^ unit, 0x01000193)
      high = Math.imul(high ^ unit, 0x85ebca6b)
    }
    this.#count += 1
    this.#low = (this.#low + mixed(low)) | 0
    this.#high = (this.#high + mixed(high)) | 0
  }

  text(): string {
    return `${this.#count}-${hex(this.#low)}${hex(this.#high)}`
  }
}

/** Times are whole seconds, as in XML documents. */
function textOf(entry: ListedEntry): string {
  if (entry.kind === 'folder') return entry.key
  const { key, size, modifiedAtMs, etag } = entry
  return `${key}\n${size}\n${Math.floor(modifiedAtMs / 1_000)}\n${etag}`
}

/** Spreads a difference of one character over all bits. */
function mixed(hash: number): number {
  const once = Math.imul(hash ^ (hash >>> 16), 0x7feb352d)
  const twice = Math.imul(once ^ (once >>> 15), 0x846ca68b)
  return twice ^ (twice >>> 16)
}

function hex(word: number): string {
  return (word >>> 0).toString(16).padStart(8, '0')
}
