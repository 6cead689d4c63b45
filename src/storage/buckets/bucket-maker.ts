import type { Drive } from '../drives/drive.ts'
import { DriveError } from '../drives/drive-error.ts'
import type { DriveNotes } from '../drives/drive-notes.ts'
import { type KeyLease, KeyLeases, type LeaseErrors } from '../drives/kit/key-leases.ts'
import { bucketNote } from './bucket-note.ts'
import type { Buckets } from './buckets.ts'
import { changeKey, type MadeBucketRow, type MadeBucketTable } from './made-bucket-table.ts'

/** The former quota of an AWS account. Each bucket costs memory in every process. */
export const maxMadeBuckets = 1_000

/** Long, because the requests of one process wait for one another. */
const waitMs = 60_000

export interface BucketMakerParts {
  readonly table: MadeBucketTable
  readonly drive: Pick<Drive, 'followsChanges' | 'addBucket' | 'removeBucket' | 'list'>
  /** Undefined for a drive that does not outlive the process. */
  readonly notes: DriveNotes | undefined
  /** The buckets of the settings. */
  readonly configured: Pick<Buckets, 'find'>
  readonly isBucketName: (name: string) => boolean
  /** Applies changes in this process. */
  readonly refresh: () => Promise<void>
  /** Aborts the open uploads of a removed bucket. */
  readonly abortUploads: (bucket: string) => Promise<void>
  /** The database's time. */
  readonly now: () => number
}

/**
 * Creates and removes buckets. Wherever the steps are interrupted, they leave a complete bucket or none
 * (docs/decisions/0028-buckets-at-run-time.md).
 */
export class BucketMaker {
  readonly #parts: BucketMakerParts
  readonly #leases: KeyLeases

  constructor(parts: BucketMakerParts) {
    this.#parts = parts
    const { table, now } = parts
    this.#leases = new KeyLeases({ table: table.leases, now, waitMs, errors })
  }

  /**
   * When it resolves, the bucket is durable and served by this process; the others serve it within a second.
   *
   * @param region the location that clients see; '' for REGION
   * @throws BucketError, DriveError, DatabaseError
   */
  async create(bucket: string, region = ''): Promise<void> {
    const { table, configured, isBucketName, refresh } = this.#parts
    if (!isBucketName(bucket)) {
      throw new BucketError('invalid-name', 'The specified bucket is not valid.')
    }
    if (configured.find(bucket) !== undefined) throw exists()
    await this.#change(async (held) => {
      const rows = await table.all()
      const found = rows.find((row) => row.bucket === bucket)
      if (found?.isRemoving === 1) await this.#finishRemoval(bucket, held)
      else if (found !== undefined) throw exists()
      // The sweep finishes removals that were interrupted.
      if (rows.filter(({ isRemoving }) => isRemoving === 0).length >= maxMadeBuckets) {
        const message = `There are already ${maxMadeBuckets} buckets that were created at run time.`
        throw new BucketError('too-many', message)
      }
      await this.#makeFolder(bucket)
      held.assertHeld()
      await this.#writeNote([...rows.map((row) => row.bucket), bucket])
      held.assertHeld()
      const made = { bucket, madeAtMs: this.#parts.now(), region }
      if (!(await table.add(made, held.owner))) throw errors.lost()
    })
    await refresh()
  }

  /**
   * Removes a bucket without objects, and aborts its uploads.
   *
   * @throws BucketError, DriveError (`not-empty`), DatabaseError
   */
  async remove(bucket: string): Promise<void> {
    const { table, configured, refresh } = this.#parts
    if (configured.find(bucket) !== undefined) {
      const message = 'This bucket is in ALLOWED_BUCKETS: remove it there and restart the gateway.'
      throw new BucketError('from-settings', message)
    }
    await this.#change(async (held) => {
      const rows = await table.all()
      if (!rows.some((row) => row.bucket === bucket)) {
        throw new BucketError('no-bucket', 'The specified bucket does not exist.')
      }
      if (!(await table.setRemoving(bucket, true, held.owner))) throw errors.lost()
      await this.#finishRemoval(bucket, held)
    })
    await refresh()
  }

  /** Finishes removals that were interrupted. */
  async sweep(): Promise<void> {
    const { table, refresh } = this.#parts
    const isInterrupted = ({ isRemoving }: MadeBucketRow) => isRemoving === 1
    if (!(await table.all()).some(isInterrupted)) return
    await this.#change(async (held) => {
      for (const { bucket } of (await table.all()).filter(isInterrupted)) {
        await this.#finishRemoval(bucket, held).catch((error: unknown) => {
          if (!(error instanceof DriveError && error.kind === 'not-empty')) throw error
        })
      }
    })
    await refresh()
  }

  /** Adds buckets that another process has created, on a drive that has to know their folders. */
  async adopt(buckets: readonly string[]): Promise<void> {
    const { table, drive } = this.#parts
    if (drive.followsChanges !== true) return
    await this.#change(async () => {
      const rows = await table.all()
      const isServed = ({ bucket, isRemoving }: MadeBucketRow) =>
        buckets.includes(bucket) && isRemoving === 0
      for (const { bucket } of rows.filter(isServed)) await drive.addBucket(bucket)
    })
  }

  /** Runs `work` while no other process changes buckets. */
  async #change(work: (held: KeyLease) => Promise<void>): Promise<void> {
    let isDone = false
    try {
      await this.#leases.hold([changeKey], async (held) => {
        await work(held)
        isDone = true
      })
    } catch (error) {
      // A lease that cannot be released expires.
      if (!isDone) throw error
    }
  }

  /** Refuses a folder with content: nobody meant to publish it. */
  async #makeFolder(bucket: string): Promise<void> {
    const { drive } = this.#parts
    await drive.addBucket(bucket)
    const [entry] = await drive.list(bucket, { prefix: '', after: '' }).next(1)
    if (entry === undefined) return
    const message =
      'The drive already has a folder of this name with content. To serve it, add it to ALLOWED_BUCKETS.'
    throw new BucketError('folder-exists', message)
  }

  /** Every step can be repeated. */
  async #finishRemoval(bucket: string, held: KeyLease): Promise<void> {
    const { table, drive, abortUploads } = this.#parts
    held.assertHeld()
    try {
      await drive.removeBucket(bucket)
    } catch (error) {
      if (error instanceof DriveError && ['not-empty', 'denied'].includes(error.kind)) {
        await table.setRemoving(bucket, false, held.owner)
      }
      throw error
    }
    held.assertHeld()
    await abortUploads(bucket)
    held.assertHeld()
    const rows = await table.all()
    await this.#writeNote(rows.map((row) => row.bucket).filter((name) => name !== bucket))
    if (!(await table.remove(bucket, held.owner))) throw errors.lost()
  }

  async #writeNote(names: readonly string[]): Promise<void> {
    await this.#parts.notes?.write('buckets', bucketNote(names))
  }
}

const errors: LeaseErrors = {
  busy: () => new BucketError('busy', 'Other buckets are being created or removed. Try again.'),
  lost: () => new BucketError('busy', 'Creating or removing the bucket took too long. Try again.'),
}

function exists(): BucketError {
  return new BucketError('exists', 'The bucket already exists, and you own it.')
}

/** Why a bucket was not created or removed. */
export type BucketErrorKind =
  | 'invalid-name'
  /** The bucket is already served. */
  | 'exists'
  /** The drive has a folder with this name and with content, which is not a bucket. */
  | 'folder-exists'
  | 'too-many'
  | 'no-bucket'
  /** The bucket is in the settings, and can be changed only there. */
  | 'from-settings'
  /** Other buckets are being created or removed. */
  | 'busy'

/** The message is user-facing. */
export class BucketError extends Error {
  readonly kind: BucketErrorKind

  constructor(kind: BucketErrorKind, message: string, options: ErrorOptions = {}) {
    super(message, options)
    this.name = 'BucketError'
    this.kind = kind
  }
}
