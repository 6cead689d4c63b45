import type { Entry, FileEntry } from '../entries/entry.ts'

type AddedFile = Omit<FileEntry, 'kind' | 'name'>

/** Changes that this page made to the drive, for the lists that show them. */
export type DriveChange =
  | { readonly type: 'added'; readonly bucket: string; readonly file: AddedFile }
  /** Keys of files, and prefixes of folders including their contents. */
  | { readonly type: 'removed'; readonly bucket: string; readonly keys: ReadonlySet<string> }

type Listener = (change: DriveChange) => void
type BatchListener = (changes: readonly DriveChange[]) => void

/** A batch has the changes of this many milliseconds; of more time after many, so that lists leave uploads time. */
const gatherMs = 200
const gatherManyMs = 1_000
const many = 20

export class DriveChanges {
  readonly #listeners = new Set<Listener>()

  readonly subscribe = (listener: Listener): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** For lists, which need time for each update: thousands of small files are uploaded in a few seconds. */
  readonly subscribeToBatches = (listener: BatchListener): (() => void) => {
    let gathered: DriveChange[] = []
    let timer: ReturnType<typeof setTimeout> | undefined
    let delayMs = gatherMs
    const flush = () => {
      const batch = gathered
      timer = undefined
      gathered = []
      delayMs = batch.length < many ? gatherMs : gatherManyMs
      listener(batch)
    }
    const unsubscribe = this.subscribe((change) => {
      gathered.push(change)
      timer ??= setTimeout(flush, delayMs)
    })
    return () => {
      unsubscribe()
      clearTimeout(timer)
    }
  }

  publish(change: DriveChange): void {
    for (const listener of this.#listeners) listener(change)
  }

  /** For an entry that was restored at its old place. */
  publishBack(bucket: string, entry: Entry): void {
    const file = entry.kind === 'file' ? entry : { size: 0, modifiedAtMs: Date.now(), etag: '' }
    this.publish({ type: 'added', bucket, file: { ...file, key: entry.key } })
  }
}
