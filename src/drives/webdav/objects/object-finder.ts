import type { ObjectMetadata } from '../../drive.ts'
import type { LeaseLook } from '../../lease-table.ts'
import type { DavContext } from '../dav-context.ts'
import type { AttributeStore, FoundFile } from './attribute-store.ts'
import { type DavRecord, provisionalAttributes } from './dav-attributes.ts'
import type { DavPlace } from './object-path.ts'

/** How often a reader looks again while the key is being written, before it takes its turn. */
const looks = 4

export interface FinderParts extends DavContext {
  readonly store: AttributeStore
}

export interface FoundObject extends FoundFile {
  readonly facts: ObjectMetadata
  /** Undefined when the file came by hand. */
  readonly record: DavRecord | undefined
}

/** An object as `find` saw it. */
export interface SeenObject extends FoundObject {
  /** Of its folder, before the lookup: later writes raise it. */
  readonly revision: number
}

/** Finds objects' files. */
export class ObjectFinder {
  readonly #parts: FinderParts

  constructor(parts: FinderParts) {
    this.#parts = parts
  }

  /**
   * The object as of now. Servers overwrite by removing first (Apache) and keep properties apart
   * from files (lighttpd): where nothing, or nothing known, is found, a write of this key may be
   * under way, and the answer counts only if there was none.
   */
  async find(place: DavPlace): Promise<SeenObject | undefined> {
    for (let look = 0; look < looks; look++) {
      const before = await this.watch(place)
      const found = await this.findAlone(place)
      if (found?.record !== undefined || (await this.isQuietSince(place, before))) {
        return seenSince(before, found)
      }
      await this.#settle(place)
    }
    return await this.#parts.leases.hold([place.path], async () =>
      seenSince(await this.watch(place), await this.findAlone(place)),
    )
  }

  /** As `find`, for callers that hold the lease or check themselves that it is free. */
  async findAlone(place: DavPlace): Promise<FoundObject | undefined> {
    const found = await this.locate(place)
    return found === undefined ? undefined : await this.describe(place, found)
  }

  async describe(place: DavPlace, found: FoundFile): Promise<FoundObject> {
    const { entry } = found
    const record = await this.#parts.store.find(place.path, entry)
    const version = this.#parts.store.versionOf(entry)
    const attributes = record?.attributes ?? provisionalAttributes(place.key, version)
    const facts = { size: entry.size, modifiedAtMs: entry.modifiedAtMs, attributes }
    return { ...found, facts, record }
  }

  /** The object's file; the one at the natural path counts when there are two. */
  async locate({ natural, alternative }: DavPlace): Promise<FoundFile | undefined> {
    for (const path of [natural, alternative]) {
      const entry = await this.#parts.server.stat(path)
      if (entry?.isFolder === false) return { path, entry }
    }
    return undefined
  }

  /** The state of writing at the place, to be compared with later. */
  watch({ path, folder }: DavPlace): Promise<LeaseLook> {
    return this.#parts.leases.look([path], [folder])
  }

  /** Whether the place has not been written since `before` and is not being written now. */
  async isQuietSince(place: DavPlace, before: LeaseLook): Promise<boolean> {
    if (before.leases.length > 0) return false
    const { leases, revisions } = await this.watch(place)
    return leases.length === 0 && revisions[0] === before.revisions[0]
  }

  /** Waits for a write in progress to end, and recovers one whose process died. */
  async #settle(place: DavPlace): Promise<void> {
    const { leases } = this.#parts
    const { leases: held } = await leases.look([place.path], [])
    if (held.some((lease) => leases.isLive(lease))) await leases.untilFree([place.path])
    else if (held.length > 0) await leases.recoverEnded([place.path])
  }
}

function seenSince(before: LeaseLook, found: FoundObject | undefined): SeenObject | undefined {
  return found && { ...found, revision: before.revisions[0] ?? 0 }
}
