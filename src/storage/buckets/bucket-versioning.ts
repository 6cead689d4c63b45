import { UnmetChange } from '../../platform/state/database.ts'
import type { Drive } from '../drives/drive.ts'
import { DriveError } from '../drives/drive-error.ts'
import type { DriveNotes } from '../drives/drive-notes.ts'
import type { KeyLease } from '../drives/kit/key-leases.ts'
import { refusalOfVersions } from '../drives/unversioned.ts'
import { isEnabled, type Versioning, type VersioningOf } from '../drives/versions.ts'
import { BucketChanges, BucketError, lostLease } from './bucket-changes.ts'
import { versioningInNote, versioningNote } from './bucket-note.ts'
import type { BucketOptionsTable } from './bucket-option-table.ts'
import { type BucketDocuments, type ObjectLock, versioningOf } from './bucket-options.ts'
import { changeKey, type MadeBucketTable } from './made-bucket-table.ts'
import type { StoredBucketOptions } from './stored-bucket-options.ts'

export type VersioningStatus = 'Enabled' | 'Suspended'

type StoredVersioning = BucketDocuments['versioning']

/** Drives compare each change with the time of a file, and a client may ask for any number of changes. */
export const maxChanges = 100

export function versioningStatus(stored: StoredVersioning): VersioningStatus | undefined {
  if (stored === undefined || stored === 'Suspended') return stored
  return isEnabled(stored) ? 'Enabled' : 'Suspended'
}

/** Where buckets are. */
export interface VersionedPlaces {
  /** @returns the name of the drive, '' for the default drive, and the bucket's name there */
  placeOf(bucket: string): { readonly drive: string; readonly folder: string }
  /** Undefined if no bucket is there. */
  bucketAt(drive: string, folder: string): string | undefined
}

export interface BucketVersioningParts {
  readonly table: Pick<BucketOptionsTable, 'change'>
  /** `find` is called after `reload`. */
  readonly options: Pick<StoredBucketOptions, 'find' | 'reload'>
  readonly leases: MadeBucketTable['leases']
  readonly places: VersionedPlaces
  /**
   * How far ahead a change begins: by then it is stored, and all processes have read it. Until then every write follows the
   * former state, because a process that does not know of the change would overwrite a version of one that does.
   */
  readonly leadMs: () => number
  readonly wait: (ms: number) => Promise<void>
  /** The database's time. */
  readonly now: () => number
}

/**
 * The versioning of all buckets. The drives of this process ask it at each write. It is stored in the database, and before
 * that on the drive, so that the loss of the database does not end versions.
 */
export class BucketVersioning {
  readonly #parts: BucketVersioningParts
  readonly #changes: BucketChanges
  /** By the name of the drive. Without an entry, the drive has no notes, or is not open. */
  readonly #notes = new Map<string, DriveNotes>()

  constructor(parts: BucketVersioningParts) {
    this.#parts = parts
    this.#changes = new BucketChanges(parts.leases, parts.now)
  }

  /** For the drive of this name. */
  ofDrive(drive: string): VersioningOf {
    const { places, now, leadMs } = this.#parts
    return (folder) => {
      const bucket = places.bucketAt(drive, folder)
      const versioning = bucket === undefined ? undefined : this.#find(bucket)
      return versioning && withBegun(versioning, now(), leadMs())
    }
  }

  /**
   * Reads the state in the database and, when a drive is opened, that in its notes. Call it before the drive is used.
   *
   * @returns the buckets whose versions only the drive knew
   */
  async load(drive?: string, notes?: DriveNotes): Promise<readonly string[]> {
    await this.#parts.options.reload()
    if (drive === undefined || notes === undefined) return []
    this.#notes.set(drive, notes)
    const isUnknown = async () => this.#unknownOf(drive, await notes.read('versioning'))
    if ((await isUnknown()).length === 0) return []
    return await this.#changes.run(async (held) => {
      await this.#parts.options.reload()
      const found = await isUnknown()
      for (const [bucket, versioning] of found) await this.#store(bucket, { versioning }, held)
      return found.map(([bucket]) => bucket)
    })
  }

  /**
   * When it resolves, every process keeps the versions that it overwrites, or no longer does. Does nothing if the bucket
   * has this status.
   *
   * @param drive of all buckets
   * @throws BucketError, DriveError, DatabaseError
   */
  async change(bucket: string, status: VersioningStatus, drive: Drive): Promise<void> {
    await this.#run((held) => this.#change(bucket, { status, drive }, held))
  }

  /**
   * Turns Object Lock on, or changes its default. When it resolves, every process does as it says.
   *
   * @param drive of all buckets
   * @param enablesVersions whether it also enables versions, which must be enabled otherwise
   * @throws as `change`
   */
  async lock(
    bucket: string,
    objectLock: ObjectLock,
    {
      drive,
      enablesVersions = false,
    }: { readonly drive: Drive; readonly enablesVersions?: boolean },
  ): Promise<void> {
    await this.#run(async (held) => {
      const status = 'Enabled'
      if (enablesVersions) await this.#change(bucket, { status, drive }, held)
      const { options } = this.#parts
      await options.reload()
      if (versioningStatus(options.find(bucket).versioning) !== status) {
        const message = `Versioning must be 'Enabled' on the bucket to apply a Object Lock configuration`
        throw new BucketError('wrong-state', message)
      }
      await unlessUnsupported(drive.enableLocks?.(bucket))
      held.assertHeld()
      await this.#store(bucket, { objectLock }, held)
      return true
    })
  }

  /** @param work resolves with whether other processes still have to read it */
  async #run(work: (held: KeyLease) => Promise<boolean>): Promise<void> {
    const { leadMs, wait } = this.#parts
    if (await this.#changes.run(work)) await wait(leadMs())
  }

  async #change(
    bucket: string,
    { status, drive }: { readonly status: VersioningStatus; readonly drive: Drive },
    held: KeyLease,
  ): Promise<boolean> {
    const { options, now, leadMs } = this.#parts
    await options.reload()
    const { versioning: before, objectLock } = options.find(bucket)
    if (versioningStatus(before) === status) return false
    if (objectLock !== undefined) {
      const message = `An Object Lock configuration is present on this bucket, so the versioning state cannot be changed.`
      throw new BucketError('wrong-state', message)
    }
    const after = changed(before, status, now() + leadMs())
    if (after !== 'Suspended') await this.#prepare(bucket, after, drive)
    held.assertHeld()
    if (after !== 'Suspended') await this.#note(bucket, after)
    held.assertHeld()
    await this.#store(bucket, { versioning: after }, held)
    return true
  }

  /** For a bucket that is being removed: a bucket with the same name starts without versions. */
  readonly forget = async (bucket: string): Promise<void> => {
    if (this.#find(bucket) !== undefined) await this.#note(bucket, undefined)
  }

  #find(bucket: string): Versioning | undefined {
    return versioningOf(this.#parts.options.find(bucket))
  }

  async #prepare(bucket: string, versioning: Versioning, drive: Drive): Promise<void> {
    const refusal = isEnabled(versioning) ? refusalOfVersions(drive, bucket) : undefined
    if (refusal !== undefined) throw new BucketError('no-versions', refusal)
    await unlessUnsupported(drive.setVersioning?.(bucket, versioning))
  }

  async #note(bucket: string, versioning: Versioning | undefined): Promise<void> {
    const { drive, folder } = this.#parts.places.placeOf(bucket)
    const notes = this.#notes.get(drive)
    if (notes === undefined) return
    const noted = versioningInNote(await notes.read('versioning'))
    if (versioning === undefined) noted.delete(folder)
    else noted.set(folder, versioning)
    await notes.write('versioning', versioningNote(noted))
  }

  async #store(
    bucket: string,
    stored: Pick<BucketDocuments, 'versioning' | 'objectLock'>,
    held: KeyLease,
  ): Promise<void> {
    const { table, options, leases } = this.#parts
    const texts = Object.entries(stored).map(([name, document]) => [name, JSON.stringify(document)])
    const documents: Record<string, string> = Object.fromEntries(texts)
    try {
      await table.change(bucket, { documents }, [leases.heldBy(changeKey, held.owner)])
    } catch (error) {
      throw error instanceof UnmetChange ? lostLease() : error
    }
    await options.reload()
  }

  /** The buckets of whose versioning the drive knows more changes than the database. */
  #unknownOf(drive: string, note: string | undefined): (readonly [string, Versioning])[] {
    return [...versioningInNote(note)].flatMap(([folder, versioning]) => {
      const bucket = this.#parts.places.bucketAt(drive, folder)
      if (bucket === undefined) return []
      const known = this.#find(bucket)?.changes.length ?? 0
      return versioning.changes.length > known ? [[bucket, versioning] as const] : []
    })
  }
}

/**
 * Names the change that has begun, while the last one is about to begin. A change that is further ahead has begun: the clock
 * was set back. Each write asks for it.
 */
function withBegun(versioning: Versioning, nowMs: number, leadMs: number): Versioning {
  const { changes } = versioning
  const aheadMs = (changes.at(-1) ?? 0) - nowMs
  if (aheadMs <= 0 || aheadMs > leadMs) return versioning
  return { changes, begunMs: changes.findLast((changedAtMs) => changedAtMs <= nowMs) ?? 0 }
}

/** @throws BucketError `no-versions` if the drive can't do it */
async function unlessUnsupported(work: Promise<void> | undefined): Promise<void> {
  try {
    await work
  } catch (cause) {
    if (!(cause instanceof DriveError && cause.kind === 'unsupported')) throw cause
    throw new BucketError('no-versions', cause.message, { cause })
  }
}

/** Pure. @throws BucketError `wrong-state` */
function changed(
  before: StoredVersioning,
  status: VersioningStatus,
  nowMs: number,
): 'Suspended' | Versioning {
  const { changes = [] } = before === 'Suspended' ? {} : (before ?? {})
  const last = changes.at(-1)
  if (last === undefined && status === 'Suspended') return status
  if (changes.length >= maxChanges) {
    const message = `Versions of this bucket were enabled and suspended ${maxChanges} times, which is the maximum.`
    throw new BucketError('wrong-state', message)
  }
  return { changes: [...changes, last === undefined ? nowMs : Math.max(nowMs, last + 1)] }
}
