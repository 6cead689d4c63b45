import type { Drive } from '../drives/drive.ts'
import { DriveError } from '../drives/drive-error.ts'
import type { DriveNotes } from '../drives/drive-notes.ts'
import type { KeyLease } from '../drives/kit/key-leases.ts'
import { BucketChanges, BucketError, lostLease } from './bucket-changes.ts'
import { bucketNote } from './bucket-note.ts'
import type { BucketPolicy } from './bucket-policy.ts'
import type { Buckets } from './buckets.ts'
import type { MadeBucketRow, MadeBucketTable } from './made-bucket-table.ts'
import { documentsOf } from './stored-bucket-options.ts'

/** The former quota of an AWS account. Each bucket costs memory in every process. */
export const maxMadeBuckets = 1_000

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
  /** Makes the drive forget that a removed bucket had versions. Absent: the drive remembers no such thing. */
  readonly forgetVersions?: (bucket: string) => Promise<void>
  /** The database's time. */
  readonly now: () => number
}

/**
 * Creates and removes buckets. Wherever the steps are interrupted, they leave a complete bucket or none
 * (docs/decisions/0028-buckets-at-run-time.md).
 */
export class BucketMaker {
  readonly #parts: BucketMakerParts
  readonly #changes: BucketChanges

  constructor(parts: BucketMakerParts) {
    this.#parts = parts
    this.#changes = new BucketChanges(parts.table.leases, parts.now)
  }

  /**
   * When it resolves, the bucket is durable and served by this gateway; others serve it within a second.
   *
   * @param region the location that clients see; '' for REGION
   * @param policy that the bucket has from the beginning
   * @throws BucketError, DriveError, DatabaseError
   */
  async create(bucket: string, region = '', policy?: BucketPolicy): Promise<void> {
    const { table, configured, isBucketName, refresh } = this.#parts
    if (!isBucketName(bucket)) {
      throw new BucketError('invalid-name', 'The specified bucket is not valid.')
    }
    if (configured.find(bucket) !== undefined) throw exists()
    await this.#changes.run(async (held) => {
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
      // Before the note: a start adopts a bucket in the note, which must not be without its policy.
      const documents = policy === undefined ? {} : documentsOf({ policy })
      if (!(await table.setFirstOptions(bucket, documents, held.owner))) throw lostLease()
      await this.#writeNote([...rows.map((row) => row.bucket), bucket])
      held.assertHeld()
      const made = { bucket, madeAtMs: this.#parts.now(), region }
      if (!(await table.add(made, held.owner))) throw lostLease()
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
    await this.#changes.run(async (held) => {
      const rows = await table.all()
      if (!rows.some((row) => row.bucket === bucket)) {
        throw new BucketError('no-bucket', 'The specified bucket does not exist.')
      }
      if (!(await table.setRemoving(bucket, true, held.owner))) throw lostLease()
      await this.#finishRemoval(bucket, held)
    })
    await refresh()
  }

  /** Finishes removals that were interrupted. */
  async sweep(): Promise<void> {
    const { table, refresh } = this.#parts
    const isInterrupted = ({ isRemoving }: MadeBucketRow) => isRemoving === 1
    if (!(await table.all()).some(isInterrupted)) return
    await this.#changes.run(async (held) => {
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
    await this.#changes.run(async () => {
      const rows = await table.all()
      const isServed = ({ bucket, isRemoving }: MadeBucketRow) =>
        buckets.includes(bucket) && isRemoving === 0
      for (const { bucket } of rows.filter(isServed)) await drive.addBucket(bucket)
    })
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
    const { table, drive, abortUploads, forgetVersions } = this.#parts
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
    await forgetVersions?.(bucket)
    held.assertHeld()
    const rows = await table.all()
    await this.#writeNote(rows.map((row) => row.bucket).filter((name) => name !== bucket))
    if (!(await table.remove(bucket, held.owner))) throw lostLease()
  }

  async #writeNote(names: readonly string[]): Promise<void> {
    await this.#parts.notes?.write('buckets', bucketNote(names))
  }
}

function exists(): BucketError {
  return new BucketError('exists', 'The bucket already exists, and you own it.')
}
