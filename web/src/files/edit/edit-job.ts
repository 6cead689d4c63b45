import { formatCount } from '../../format/bytes.ts'
import { fileEditTexts } from '../../texts/file-edit.ts'
import type { Entry, FileEntry } from '../entries/entry.ts'
import { isReachable } from '../entries/object-address.ts'
import { visibleName } from '../entries/visible-name.ts'
import type { ListingPage } from '../listing/open-folder.ts'
import type { JobOrder, JobReport } from '../transfers/job-list.ts'
import type { MetadataChange } from './metadata-change.ts'

/** Concurrent copies. */
const concurrency = 4

export interface EditClient {
  /** A page of everything below a prefix. */
  listTree(prefix: string, continuationToken: string | undefined): Promise<ListingPage>
  /** Returns whether anything had to be changed. */
  edit(file: FileEntry, change: MetadataChange): Promise<boolean>
  /** Why an error affects only this object; undefined if the whole edit has to stop. */
  reasonOf(error: unknown): string | undefined
}

/** Changes the metadata of files, and of all files in folders. Repeating the job does the rest. */
export function editJob(
  title: string,
  entries: readonly Entry[],
  change: MetadataChange,
  client: EditClient,
): JobOrder {
  return { title, work: (report) => new EditRun(change, client, report).run(entries) }
}

class EditRun {
  readonly #change: MetadataChange
  readonly #client: EditClient
  readonly #report: JobReport
  #total: number | undefined
  #edited = 0
  #same = 0
  #skipped = 0

  constructor(change: MetadataChange, client: EditClient, report: JobReport) {
    this.#change = change
    this.#client = client
    this.#report = report
  }

  async run(entries: readonly Entry[]): Promise<string> {
    const files = entries.filter((entry) => entry.kind === 'file')
    this.#total = files.length === entries.length ? files.length : undefined
    this.#report.progress(0, this.#total)
    try {
      await this.#editThese(files)
      for (const { kind, key } of entries) if (kind === 'folder') await this.#editTree(key)
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error)
      throw new Error(fileEditTexts.job.failed(this.#text(), why), { cause: error })
    }
    return this.#report.signal.aborted ? fileEditTexts.job.stopped(this.#text()) : this.#text()
  }

  async #editTree(prefix: string): Promise<void> {
    let token: string | undefined
    do {
      if (this.#report.signal.aborted) return
      const page = await this.#client.listTree(prefix, token)
      // The marker object of a folder is not a file.
      const isFile = (entry: Entry) => entry.kind === 'file' && !entry.key.endsWith('/')
      await this.#editThese(page.entries.filter(isFile) as readonly FileEntry[])
      token = page.continuationToken
    } while (token !== undefined)
  }

  /** @throws an error that stops the whole edit. */
  async #editThese(files: readonly FileEntry[]): Promise<void> {
    const waiting = files.values()
    let fatal: unknown
    const work = async (): Promise<void> => {
      // The workers share one iterator.
      for (const file of waiting) {
        if (this.#report.signal.aborted || fatal !== undefined) return
        await this.#editOne(file).catch((error: unknown) => {
          fatal = error
        })
        this.#report.progress(this.#edited + this.#same + this.#skipped, this.#total)
      }
    }
    await Promise.all(Array.from({ length: concurrency }, work))
    if (fatal !== undefined) throw fatal
  }

  async #editOne(file: FileEntry): Promise<void> {
    try {
      // A browser would request a different object.
      if (!isReachable(file.key)) throw new RangeError(fileEditTexts.job.dots)
      if (await this.#client.edit(file, this.#change)) this.#edited += 1
      else this.#same += 1
    } catch (error) {
      const reason = this.#client.reasonOf(error)
      if (reason === undefined) throw error
      this.#skipped += 1
      this.#report.problem(`${visibleName(file.key)}: ${reason}`)
    }
  }

  #text(): string {
    const parts = [fileEditTexts.job.changed(this.#edited)]
    if (this.#same > 0) parts.push(fileEditTexts.job.same(formatCount(this.#same)))
    if (this.#skipped > 0) parts.push(fileEditTexts.job.skipped(formatCount(this.#skipped)))
    return `${parts.join(', ')}.`
  }
}
