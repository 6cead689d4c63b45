import type { ObjectMetadata } from '../../drive.ts'
import type { LeaseLook } from '../../kit/key-lease-table.ts'
import type { KeyLeases } from '../../kit/key-leases.ts'
import { provisionalAttributes } from '../../kit/stored-attributes.ts'
import type { DavServer } from '../client/dav-server.ts'
import type { AttributeStore, DavRecord, FoundFile } from './attribute-store.ts'
import type { DavObjectPath } from './object-path.ts'

/** Attempts while the key is being written, before the reader takes the lease itself. */
const looks = 4

export interface FinderParts {
  readonly server: DavServer
  readonly leases: KeyLeases
  readonly store: AttributeStore
}

export interface FoundObject extends FoundFile {
  readonly metadata: ObjectMetadata
  /** Undefined when the file was added by hand. */
  readonly record: DavRecord | undefined
}

/** An object as `find` saw it. */
export interface SeenObject extends FoundObject {
  /** The revision of its folder before the lookup; later writes increase it. */
  readonly revision: number
}

/** Finds the files of objects. */
export class ObjectFinder {
  readonly #parts: FinderParts

  constructor(parts: FinderParts) {
    this.#parts = parts
  }

  /**
   * Finds the current object. Apache overwrites a file by removing it first, and lighttpd stores
   * properties separately, so a missing file or record counts only if nobody was writing the key.
   */
  async find(object: DavObjectPath): Promise<SeenObject | undefined> {
    for (let look = 0; look < looks; look++) {
      const before = await this.watch(object)
      const found = await this.findAlone(object)
      if (found?.record !== undefined || (await this.isQuietSince(object, before))) {
        return seenSince(before, found)
      }
      await this.#awaitWriter(object)
    }
    return await this.#parts.leases.hold([object.leaseKey], async () =>
      seenSince(await this.watch(object), await this.findAlone(object)),
    )
  }

  /** As `find`, for callers that hold the lease or check themselves that it is free. */
  async findAlone(object: DavObjectPath): Promise<FoundObject | undefined> {
    const found = await this.locate(object)
    return found === undefined ? undefined : await this.describe(object, found)
  }

  async describe(object: DavObjectPath, found: FoundFile): Promise<FoundObject> {
    const { entry } = found
    const record = await this.#parts.store.find(object.leaseKey, entry)
    const version = this.#parts.store.versionOf(entry)
    const attributes = record?.attributes ?? provisionalAttributes(object.key, version)
    const metadata = { size: entry.size, modifiedAtMs: entry.modifiedAtMs, attributes }
    return { ...found, metadata, record }
  }

  /** The object's file: the one at the natural path if there are two. */
  async locate({ natural, alternative }: DavObjectPath): Promise<FoundFile | undefined> {
    for (const path of [natural, alternative]) {
      const entry = await this.#parts.server.stat(path)
      if (entry?.isFolder === false) return { path, entry }
    }
    return undefined
  }

  /** The leases and revision of the object, to compare with later. */
  watch({ leaseKey, folderKey }: DavObjectPath): Promise<LeaseLook> {
    return this.#parts.leases.look([leaseKey], [folderKey])
  }

  /** Whether the object was not written since `before` and is not being written now. */
  async isQuietSince(object: DavObjectPath, before: LeaseLook): Promise<boolean> {
    if (before.leases.length > 0) return false
    const { leases, revisions } = await this.watch(object)
    return leases.length === 0 && revisions[0] === before.revisions[0]
  }

  /** Waits for a write in progress to end, and recovers one whose process died. */
  async #awaitWriter(object: DavObjectPath): Promise<void> {
    const { leases } = this.#parts
    const { leases: writers } = await leases.look([object.leaseKey], [])
    if (writers.some((lease) => leases.isLive(lease))) await leases.untilFree([object.leaseKey])
    else if (writers.length > 0) await leases.recoverEnded([object.leaseKey])
  }
}

function seenSince(before: LeaseLook, found: FoundObject | undefined): SeenObject | undefined {
  return found && { ...found, revision: before.revisions[0] ?? 0 }
}
