/** What Windows does not allow in names, which would also be a drive letter or a separator there. */
const forbidden = /[\u0000-\u001f\u007f<>:"|?*\\]/g
const device = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i
const slash = '/'

/**
 * Names for an archive: every program can extract them, below the folder that it extracts to, and no two are the
 * same, whatever the case. Other names are kept.
 */
export class ArchiveNames {
  /** Digests of names as file systems compare them: the names themselves would take four times the memory. */
  readonly #files = new Set<number>()
  readonly #folders = new Set<number>()
  /** Folders with the name of a file, and what they are called instead. */
  readonly #renamed = new Map<string, string>()
  /** The number to try next for each name that occurred before. */
  readonly #numbers = new Map<number, number>()
  #last = { folder: '', name: '' }

  /** @param path of a file, or of a folder, which ends in a slash */
  nameOf(path: string): string {
    const end = path.lastIndexOf(slash) + 1
    const folder = this.#folderOf(path.slice(0, end))
    if (end === path.length) return folder
    const name = this.#free(folder, safeSegment(path.slice(end)))
    this.#files.add(digest(name))
    return name
  }

  #folderOf(path: string): string {
    if (path === this.#last.folder) return this.#last.name
    let [above, name] = ['', '']
    for (const segment of path.split(slash).slice(0, -1)) {
      above += segment + slash
      name = this.#renamed.get(above) ?? this.#enter(above, name, safeSegment(segment))
    }
    this.#last = { folder: path, name }
    return name
  }

  #enter(path: string, above: string, segment: string): string {
    const wanted = above + segment
    const isTaken = this.#files.has(digest(wanted))
    const name = isTaken ? this.#free(above, segment) : wanted
    this.#folders.add(digest(name))
    if (isTaken) this.#renamed.set(path, name + slash)
    return name + slash
  }

  #free(folder: string, segment: string): string {
    const wanted = digest(folder + segment)
    if (!this.#isTaken(wanted)) return folder + segment
    const dot = segment.lastIndexOf('.')
    const stem = dot > 0 ? segment.slice(0, dot) : segment
    for (let number = this.#numbers.get(wanted) ?? 2; ; number += 1) {
      const name = `${folder}${stem} (${number})${segment.slice(stem.length)}`
      if (this.#isTaken(digest(name))) continue
      this.#numbers.set(wanted, number + 1)
      return name
    }
  }

  #isTaken(name: number): boolean {
    return this.#files.has(name) || this.#folders.has(name)
  }
}

/** A segment of a path as a name that is allowed everywhere. */
function safeSegment(segment: string): string {
  const name = segment.toWellFormed().replace(forbidden, '_')
  // Windows drops dots and spaces at the end; `.` and `..` are folders.
  let end = name.length
  while (end > 0 && (name[end - 1] === '.' || name[end - 1] === ' ')) end -= 1
  const kept = name.slice(0, end) + '_'.repeat(name.length - end)
  if (kept === '') return '_'
  return device.test(kept) ? `_${kept}` : kept
}

/** 53 bits. Equal digests of different names only give a number to one of them. */
function digest(name: string): number {
  const folded = name.normalize('NFC').toLowerCase()
  let [low, high] = [0xdeadbeef, 0x41c6ce57]
  for (let index = 0; index < folded.length; index += 1) {
    const unit = folded.charCodeAt(index)
    low = Math.imul(low ^ unit, 0x9e3779b1)
    high = Math.imul(high ^ unit, 0x5f356495)
  }
  low = Math.imul(low ^ (low >>> 16), 0x85ebca6b) ^ Math.imul(high ^ (high >>> 13), 0xc2b2ae35)
  high = Math.imul(high ^ (high >>> 16), 0x85ebca6b) ^ Math.imul(low ^ (low >>> 13), 0xc2b2ae35)
  return 0x100000000 * (high & 0x1fffff) + (low >>> 0)
}
