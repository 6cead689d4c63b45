import type { ObjectName, RemovalConditions, WriteConditions } from '../../drive.ts'
import { DriveError } from '../../drive-error.ts'
import type { KeyLease, KeyLeases } from '../../kit/key-leases.ts'
import { assertConditions, assertRemovalConditions } from '../../write-conditions.ts'
import type { GoogleFile } from '../api/google-file.ts'
import { refreshFile } from '../index/apply-changes.ts'
import type { IndexedFile } from '../index/drive-index.ts'
import { findMissedObject, type OpenIndex } from '../index/object-index.ts'
import { movesAbove, objectLeaseKey, recoveryRecord } from './recovery-record.ts'

interface ObjectLocksOptions extends OpenIndex {
  readonly leases: KeyLeases
}

/** The object of a key, as just read from Google. */
export interface CurrentObject {
  readonly row: IndexedFile
  readonly file: GoogleFile
}

/** A user may keep moving a file while it is checked. */
const maxLooks = 5

interface LockedWork {
  readonly name: ObjectName
  readonly fileIds: readonly string[]
  /** The files of the object that the note of the lease has. */
  readonly seen: readonly string[]
  readonly lease: KeyLease
}

/** Gives one writer of a key at a time its current object, to change it. */
export class ObjectLocks {
  readonly #options: ObjectLocksOptions

  constructor(options: ObjectLocksOptions) {
    this.#options = options
  }

  /**
   * Runs `work` as the only writer of the key in all processes.
   *
   * @param fileIds files that `work` may publish at the key. If the outcome stays unknown, the next
   *   writer of the key determines it first.
   */
  async lock<R>(
    name: ObjectName,
    fileIds: readonly string[],
    work: (key: LockedKey) => Promise<R>,
  ): Promise<R> {
    const { objects, leases } = this.#options
    const seen = (await objects.find(name.bucket, name.key)).map((file) => file.id)
    const leaseKey = objectLeaseKey(name)
    const note = recoveryRecord(leaseKey, fileIds, seen)
    const moves = movesAbove(name)
    for (;;) {
      const done = await leases.hold(
        [leaseKey],
        async (lease) => {
          // The mover of a folder waits for this lease if it has not been seen here.
          if (await this.#isMoving(moves)) return undefined
          return { result: await this.#work({ name, fileIds, seen, lease }, work) }
        },
        { note },
      )
      if (done !== undefined) return done.result
      await leases.untilFree(moves)
    }
  }

  async #isMoving(moves: readonly string[]): Promise<boolean> {
    if (moves.length === 0) return false
    const { leases } = this.#options
    const found = await leases.look(moves, [])
    return found.leases.some((lease) => leases.isLive(lease))
  }

  async #work<R>(
    { name, fileIds, seen, lease }: LockedWork,
    work: (key: LockedKey) => Promise<R>,
  ): Promise<R> {
    const key = await this.#look(name, lease)
    const ids = key.rows.map((row) => row.id)
    const isRecorded = ids.every((id) => seen.includes(id))
    if (!isRecorded) await lease.setNote(recoveryRecord(objectLeaseKey(name), fileIds, ids))
    try {
      return await work(key)
    } catch (error) {
      if (key.isInDoubt) lease.leaveNote()
      throw error
    }
  }

  async #look(name: ObjectName, lease: KeyLease): Promise<LockedKey> {
    const { objects } = this.#options
    const { bucket, key } = name
    let rows = await objects.find(bucket, key)
    if (rows.length === 0 && (await findMissedObject(this.#options, name))) {
      rows = await objects.find(bucket, key)
    }
    for (let look = 0; look < maxLooks; look++) {
      if (rows.length === 0) return new LockedKey({ name, lease, rows, current: undefined })
      // A user may have renamed a duplicate, as the log advises.
      const files = new Map<string, CurrentObject | undefined>()
      for (const { id } of rows) {
        files.set(id, await refreshFile(this.#options, id, lease.signal))
      }
      rows = await objects.find(bucket, key)
      const current = files.get(rows[0]?.id ?? '')
      if (current !== undefined && rows.every((row) => files.get(row.id) !== undefined)) {
        return new LockedKey({ name, lease, rows, current })
      }
    }
    const message = `${bucket}/${key} keeps being moved on Google Drive. Try again.`
    throw new DriveError('busy', message, { retryAfterSeconds: 1 })
  }
}

interface LockedKeyParts {
  readonly name: ObjectName
  readonly lease: KeyLease
  /** The object's file first, then duplicates. */
  readonly rows: readonly IndexedFile[]
  readonly current: CurrentObject | undefined
}

/** A key with an exclusive lease. */
export class LockedKey {
  readonly name: ObjectName
  readonly rows: readonly IndexedFile[]
  readonly current: CurrentObject | undefined
  readonly #lease: KeyLease
  #isInDoubt = false

  constructor({ name, lease, rows, current }: LockedKeyParts) {
    this.name = name
    this.rows = rows
    this.current = current
    this.#lease = lease
  }

  /** Aborts when the lease is lost. */
  get signal(): AbortSignal {
    return this.#lease.signal
  }

  /** Whether Google may have a change that the index does not have. */
  get isInDoubt(): boolean {
    return this.#isInDoubt
  }

  /** @throws DriveError `condition` or `not-found`. */
  assert(conditions: WriteConditions | undefined): void {
    assertConditions(this.name, this.current?.row.etag, conditions)
  }

  /** As `assert`, for a removal. */
  assertRemoval(conditions: RemovalConditions | undefined): void {
    assertRemovalConditions(this.name, this.current?.row, conditions)
  }

  /** Call it before each change on Google. @throws DriveError `busy` when the lease is lost. */
  beforeChange(): void {
    this.#lease.assertHeld()
    this.#isInDoubt = true
  }

  /** Call it when the index has the change. */
  afterChange(): void {
    this.#isInDoubt = false
  }

  /** Leaves the rest to the next writer of the key, or to the index sync. */
  leaveForLater(): void {
    this.#lease.leaveNote()
  }
}
