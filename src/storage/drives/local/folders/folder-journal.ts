import { basename } from 'node:path'
import { parsedJson } from '../../../../platform/text/json-text.ts'
import type { ObjectName } from '../../drive.ts'
import { fs } from '../file-calls.ts'
import { unlessAbsent } from '../fs-error.ts'
import { type LocalRoot, newTempPath, processFolderOf } from '../local-root.ts'
import { readFlags, truncateFile } from '../objects/paced-files.ts'
import type { FolderRoot } from './open-folder.ts'
import { entriesBelow } from './own-folders.ts'

/** A key with folders that a crash may leave empty. */
export interface JournalNote extends ObjectName {
  /** Folders that are being created for the key, as paths below the root. */
  readonly making: readonly string[]
}

export interface JournalEntry {
  /** Adds to earlier notes: the folders of a long chain are noted one by one. */
  note(note: JournalNote): Promise<void>
  /** Call it when the work in the notes is done or undone. */
  close(): Promise<void>
}

const suffix = '.folders'

/** A journal longer than this is rewritten, without completed entries. */
const compactBytes = 256 * 1024

/**
 * The changes to folders that are in progress in this process. After a crash, the sweep finishes them (leftovers.ts), so
 * that no prefix outlives its objects. Losing the journal loses no objects, so it is not synced to disk. It is emptied
 * when nothing is in progress.
 */
export class FolderJournal {
  readonly #root: LocalRoot
  /** In the folder of this process. */
  readonly #name: string
  #fd: number | undefined
  readonly #lines = new Map<JournalEntry, string[]>()
  #compactAt = compactBytes
  /** Writes run one after the other. */
  #last: Promise<void> = Promise.resolve()
  #size = 0

  constructor(root: LocalRoot) {
    this.#root = root
    this.#name = basename(newTempPath(root)) + suffix
  }

  open(): JournalEntry {
    const entry: JournalEntry = {
      note: (note) => {
        const line = `${JSON.stringify(note)}\n`
        this.#lines.get(entry)?.push(line)
        return this.#enqueue(() => this.#write(line))
      },
      close: async () => {
        this.#lines.delete(entry)
        if (this.#lines.size === 0 && this.#size > 0) await this.#enqueue(() => this.#clear())
      },
    }
    this.#lines.set(entry, [])
    return entry
  }

  async close(): Promise<void> {
    await this.#last
    if (this.#fd !== undefined) await this.#root.files.close(this.#fd)
    this.#fd = undefined
    await fs.promises.rm(this.#path(), { force: true })
  }

  #path(): string {
    return `${processFolderOf(this.#root)}/${this.#name}`
  }

  async #enqueue(work: () => Promise<void>): Promise<void> {
    const mine = this.#last.then(work)
    // Errors are ignored: a full disk must not prevent the removal of objects.
    this.#last = mine.catch(() => undefined)
    await this.#last
  }

  async #write(line: string): Promise<void> {
    if (this.#size <= this.#compactAt) return await this.#append(line)
    // The line is in `#lines`, unless its entry was closed.
    await this.#compact()
  }

  async #append(text: string): Promise<void> {
    const { files } = this.#root
    this.#fd ??= await files.create(this.#path())
    const bytes = Buffer.from(text)
    await files.write(this.#fd, bytes, this.#size)
    this.#size += bytes.length
  }

  /** For a journal that is never empty. If the process is killed here, harmless old lines remain. */
  async #compact(): Promise<void> {
    this.#size = 0
    await this.#append([...this.#lines.values()].flat().join(''))
    this.#compactAt = compactBytes + 2 * this.#size
    if (this.#fd !== undefined) await truncateFile(this.#fd, this.#size)
  }

  async #clear(): Promise<void> {
    if (this.#lines.size > 0 || this.#fd === undefined) return
    this.#size = 0
    await truncateFile(this.#fd, 0)
  }
}

/** The notes in the journals of a dead process, one for each key. Skips incomplete lines. */
export async function readJournals(
  root: FolderRoot,
  processFolder: string,
): Promise<JournalNote[]> {
  const notes = new Map<string, StoredNote>()
  // Another process that starts at the same time sweeps the same folder.
  for await (const { path, isFile } of entriesBelow(root, processFolder)) {
    if (!isFile || !path.endsWith(suffix)) continue
    const read = () => fs.promises.readFile(path, { encoding: 'utf8', flag: readFlags })
    const text = (await unlessAbsent(read)) ?? ''
    for (const line of text.split('\n')) {
      const note = noteIn(line)
      if (note === undefined) continue
      // No bucket is inside another one.
      const id = `${note.bucket}/${note.key}`
      const known = notes.get(id)
      if (known === undefined) notes.set(id, note)
      else known.making.push(...note.making)
    }
  }
  return [...notes.values()]
}

interface StoredNote extends JournalNote {
  readonly making: string[]
}

/** Checked by hand: a schema library would add 30 ms to every start. */
function noteIn(line: string): StoredNote | undefined {
  const { bucket, key, making } = (parsedJson(line) ?? {}) as Record<string, unknown>
  const isNote = typeof bucket === 'string' && typeof key === 'string' && isStrings(making)
  return isNote ? { bucket, key, making } : undefined
}

function isStrings(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string')
}
