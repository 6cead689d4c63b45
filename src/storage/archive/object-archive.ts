import { fileTimeOf } from '../../platform/text/file-time.ts'
import type { Borrow, Drive, OpenObject } from '../drives/drive.ts'
import { DriveError, type DriveErrorKind } from '../drives/drive-error.ts'
import { lendRange } from '../drives/lend-range.ts'
import { walk, whileBusy, withinDriveTime } from '../jobs/walk.ts'
import { ArchiveNames } from './archive-names.ts'
import { ZipWriter } from './zip-writer.ts'

export interface ArchiveRequest {
  readonly drive: Pick<Drive, 'list' | 'open'>
  readonly bucket: string
  /** The folder; '' or ends in a slash. Names in the archive are keys without it. */
  readonly prefix: string
  /** Names of entries of the folder; those of folders end in a slash. Absent: all entries. */
  readonly names?: readonly string[] | undefined
  /** Aborts when the archive is no longer wanted. */
  readonly signal: AbortSignal
}

/** A body of unknown length, as `StreamBody` in src/platform/http/message.ts. */
export interface ArchiveBody {
  readonly length: undefined
  /** Rejects if the archive cannot be completed, so that the receiver does not take it for complete. */
  lend(borrow: Borrow): Promise<void>
  close(): Promise<void>
}

/** Errors of a single file: the archive reports them and continues. Other errors end it. */
const ofOneFile: ReadonlySet<DriveErrorKind> = new Set([
  'changed',
  'denied',
  'invalid-key',
  'key-too-long',
  'not-found',
  'unsupported',
])

const openOptions = { priority: 'normal', acceptsProvisional: true } as const

const reportName = 'missing-files.txt'
/** The maximum files in the report. */
const maxReported = 1_000

/**
 * A folder, or some of its entries, as a ZIP file that is made while it is sent. Files that disappear before their turn
 * are listed in `missing-files.txt` in the archive.
 *
 * @throws DriveError if the first entry cannot be listed; the signal's reason
 */
export async function openArchive(request: ArchiveRequest): Promise<ArchiveBody> {
  const stop = new AbortController()
  const signal = AbortSignal.any([request.signal, stop.signal])
  const archive = new ObjectArchive({ ...request, signal })
  const entries = keysOf({ ...request, signal })
  let step = await entries.next()
  return {
    length: undefined,
    async lend(borrow) {
      for (archive.begin(borrow); !step.done; step = await entries.next()) {
        await archive.add(step.value)
      }
      await archive.end()
    },
    async close() {
      stop.abort()
      await archive.close()
    },
  }
}

async function* keysOf({ names, ...listing }: ArchiveRequest): AsyncGenerator<string> {
  for (const name of new Set(names ?? [''])) {
    const prefix = listing.prefix + name
    if (name !== '' && !name.endsWith('/')) yield prefix
    else
      for await (const entries of walk({ ...listing, prefix }))
        for (const { key } of entries) yield key
  }
}

class ObjectArchive {
  readonly #request: ArchiveRequest
  readonly #names = new ArchiveNames()
  readonly #missing: string[] = []
  #missed = 0
  #zip = new ZipWriter(async () => undefined)
  #current: OpenObject | undefined

  constructor(request: ArchiveRequest) {
    this.#request = request
  }

  begin(borrow: Borrow): void {
    this.#zip = new ZipWriter(borrow)
  }

  async add(key: string): Promise<void> {
    const { prefix, signal } = this.#request
    signal.throwIfAborted()
    const path = key.slice(prefix.length)
    if (path === '') return
    const object = await this.#open(key)
    if (object === undefined) return this.#miss(path)
    this.#current = object
    try {
      const { size } = object
      const modifiedAtMs = fileTimeOf(object.attributes.metadata) ?? object.modifiedAtMs
      // A folder has no bytes.
      const name = this.#names.nameOf(path.endsWith('/') && size > 0 ? `${path}_` : path)
      await this.#zip.add({ name: Buffer.from(name), modifiedAtMs, size }, (borrow) =>
        lendRange(object, { start: 0, end: size }, borrow),
      )
    } finally {
      await this.close()
    }
  }

  async end(): Promise<void> {
    if (this.#missed > 0) {
      const bytes = Buffer.from(report(this.#missing, this.#missed))
      const name = Buffer.from(this.#names.nameOf(reportName))
      const file = { name, modifiedAtMs: Date.now(), size: bytes.length }
      await this.#zip.add(file, (borrow) => borrow(bytes))
    }
    await this.#zip.end()
  }

  /** Ends a read in progress. */
  async close(): Promise<void> {
    const object = this.#current
    this.#current = undefined
    await object?.close()
  }

  /** Undefined if the file is missing or cannot be read. */
  async #open(key: string): Promise<OpenObject | undefined> {
    const { drive, bucket, signal } = this.#request
    try {
      return await whileBusy(async () => {
        const opening = Promise.resolve(drive.open(bucket, key, openOptions))
        return await withinDriveTime(opening, signal).catch(async (error) => {
          // Closes an object that is opened too late.
          void opening.then(
            (late) => late?.close(),
            () => undefined,
          )
          throw error
        })
      }, signal)
    } catch (error) {
      if (error instanceof DriveError && ofOneFile.has(error.kind)) return undefined
      throw error
    }
  }

  #miss(path: string): void {
    this.#missed += 1
    if (this.#missing.length < maxReported) this.#missing.push(path)
  }
}

function report(paths: readonly string[], count: number): string {
  const lines = [
    'These files are not in this archive. They were deleted or moved while it was downloaded, or could not be read:',
    '',
    // A name may contain line breaks.
    ...paths.map((path) => JSON.stringify(path).slice(1, -1)),
    ...(count > paths.length ? [`and ${count - paths.length} more`] : []),
  ]
  return lines.map((line) => `${line}\r\n`).join('')
}
