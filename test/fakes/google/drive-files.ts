import { randomBytes } from 'node:crypto'
import { ChangeLog } from './change-log.ts'
import type { EmulatorClock } from './emulator-clock.ts'
import { type FileRecord, folderMimeType } from './file-record.ts'
import { LaggingView } from './lagging-view.ts'

/** A shared drive: its id is that of its root folder. */
export interface SharedDrive {
  readonly id: string
  readonly name: string
  readonly createdAtMs: number
}

/**
 * All files of the emulated account: My Drive and shared drives. `get` is always current;
 * queries use the views, which may lag.
 */
export class DriveFiles {
  /** The view of queries by name. */
  readonly byName: LaggingView
  /** The view of other queries. */
  readonly byParent: LaggingView
  readonly changes: ChangeLog
  readonly rootId: string
  readonly sharedDrives = new Map<string, SharedDrive>()
  /**
   * Whether the feed reports everything below a trashed or deleted folder, or only the folder.
   * Google documents neither.
   */
  tellsOfDescendants = false
  readonly #clock: EmulatorClock
  readonly #records = new Map<string, FileRecord>()
  readonly #children = new Map<string, Set<string>>()
  readonly #takenIds = new Set<string>()
  readonly #generatedIds = new Set<string>()

  constructor(clock: EmulatorClock) {
    this.#clock = clock
    this.byName = new LaggingView(clock)
    this.byParent = new LaggingView(clock)
    this.changes = new ChangeLog(clock)
    this.rootId = `0A${randomBytes(8).toString('hex').slice(0, 13)}UK9PVA`
    this.put(this.blank({ id: this.rootId, name: 'My Drive', mimeType: folderMimeType }))
  }

  addSharedDrive(name: string): SharedDrive {
    const id = `0A${randomBytes(8).toString('hex').slice(0, 13)}Uk9PVA`
    const drive = { id, name, createdAtMs: this.#clock.nowMs() }
    this.sharedDrives.set(id, drive)
    this.put({ ...this.blank({ id, name, mimeType: folderMimeType }), driveId: id })
    return drive
  }

  /** The record of a new file, with defaults; not stored yet. */
  blank(given: Pick<FileRecord, 'id' | 'name' | 'mimeType'>): FileRecord {
    const nowMs = this.#clock.nowMs()
    return {
      isTrashed: false,
      appProperties: {},
      properties: {},
      isStarred: false,
      createdAtMs: nowMs,
      modifiedAtMs: nowMs,
      owner: 'user',
      version: 1,
      isAbusive: false,
      revisions: [],
      ...given,
    }
  }

  get size(): number {
    return this.#records.size
  }

  records(): ReadonlyMap<string, FileRecord> {
    return this.#records
  }

  get(id: string): FileRecord | undefined {
    return this.#records.get(id === 'root' ? this.rootId : id)
  }

  children(id: string): FileRecord[] {
    return [...(this.#children.get(id) ?? [])].flatMap((child) => this.#records.get(child) ?? [])
  }

  childCount(id: string): number {
    return this.#children.get(id)?.size ?? 0
  }

  /** Adds or replaces a file's record. */
  put(record: FileRecord): FileRecord {
    const before = this.#records.get(record.id)
    const next = before === undefined ? record : { ...record, version: before.version + 1 }
    this.#records.set(next.id, next)
    this.#takenIds.add(next.id)
    this.#move(next.id, before?.parent, next.parent)
    this.#tell(next, false)
    if (this.tellsOfDescendants && before?.isTrashed !== undefined) {
      if (before.isTrashed !== next.isTrashed) this.#tellBelow(next.id)
    }
    return next
  }

  /** Permanently deletes a file, with everything below it. */
  remove(id: string, isBelow = false): void {
    const record = this.#records.get(id)
    if (record === undefined) return
    for (const child of this.children(id)) this.remove(child.id, true)
    this.#records.delete(id)
    this.#children.delete(id)
    this.#move(id, record.parent, undefined)
    this.byName.publish(id, undefined)
    this.byParent.publish(id, undefined)
    if (!isBelow || this.tellsOfDescendants) this.changes.add(record, true)
  }

  /** An unused id. A new file can have only an id from here. */
  generateId(): string {
    const id = this.newId()
    this.#generatedIds.add(id)
    return id
  }

  newId(): string {
    return `1${randomBytes(24).toString('base64url')}`
  }

  /** Whether this id was generated for a client. */
  isGenerated(id: string): boolean {
    return this.#generatedIds.has(id)
  }

  /** Whether a file has or had this id. */
  isTaken(id: string): boolean {
    return this.#takenIds.has(id)
  }

  #move(id: string, from: string | undefined, to: string | undefined): void {
    if (from === to) return
    if (from !== undefined) this.#children.get(from)?.delete(id)
    if (to === undefined) return
    const siblings = this.#children.get(to) ?? new Set()
    this.#children.set(to, siblings.add(id))
  }

  #tell(record: FileRecord, isRemoved: boolean): void {
    this.byName.publish(record.id, record)
    this.byParent.publish(record.id, record)
    this.changes.add(record, isRemoved)
  }

  #tellBelow(id: string): void {
    for (const child of this.children(id)) {
      this.changes.add(child, false)
      this.#tellBelow(child.id)
    }
  }
}
