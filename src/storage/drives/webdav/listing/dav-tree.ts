import type { FolderTree, ObjectCandidate, ReadFolder } from '../../kit/folder-cursor.ts'
import { pathOfFolder } from '../../kit/names/key-path.ts'
import { provisionalEtag } from '../../kit/stored-attributes.ts'
import { type Entry, type FolderEntry, listedAttributes } from '../../listed-entry.ts'
import type { DavPath } from '../client/dav-path.ts'
import type { DavContext } from '../dav-context.ts'
import { bucketFolder, davPathOf } from '../objects/object-path.ts'
import { requireBucket } from '../own-folder.ts'
import type { DavFolderIndex, FolderLister, ListedName } from './folder-lister.ts'

/** A listed object before its ETag is known. */
interface DavCandidate extends ObjectCandidate {
  readonly listed: ListedName
}

export interface DavTreeParts extends DavContext {
  readonly lister: FolderLister
}

type DavFolder = ReadFolder<DavFolderIndex, DavPath>

/** The folders of one bucket on the server. */
export class DavTree implements FolderTree<DavFolder, DavCandidate> {
  readonly #parts: DavTreeParts
  readonly #bucket: string
  readonly #mayBeCached: boolean

  /** @param mayBeCached whether cached folders may be used, as for all pages but the first */
  constructor(parts: DavTreeParts, bucket: string, { mayBeCached }: { mayBeCached: boolean }) {
    this.#parts = parts
    this.#bucket = bucket
    this.#mayBeCached = mayBeCached
  }

  async read(
    key: string,
    path: DavPath = [...bucketFolder(this.#bucket), ...pathOfFolder(key, this.#parts.rules)],
  ): Promise<DavFolder | undefined> {
    const names = await this.#parts.lister.read(path, { mayBeCached: this.#mayBeCached })
    return names && { names, key, path }
  }

  async readInner({ names, path }: DavFolder, position: number, key: string) {
    return await this.read(key, [...path, ...names.at(position).path])
  }

  candidate({ names }: DavFolder, position: number, key: string): DavCandidate {
    return { kind: 'object', key, listed: names.at(position) }
  }

  async describe(candidates: readonly (DavCandidate | FolderEntry)[]): Promise<Entry[]> {
    const { store, finder, rules } = this.#parts
    const unknown = candidates.flatMap((one) => {
      if (one.kind === 'folder' || one.listed.attributes !== undefined) return []
      const path = davPathOf(this.#bucket, one.key, rules).leaseKey
      return [{ path, version: one.listed.version }]
    })
    const recorded = await store.listedOf(unknown)
    const entries: Entry[] = []
    for (const one of candidates) {
      if (one.kind === 'folder') {
        entries.push(one)
        continue
      }
      const { key, listed } = one
      const object = davPathOf(this.#bucket, key, rules)
      const attributes = listed.attributes ?? recorded.get(object.leaseKey)
      // Apache reads a file and its properties separately, so a missing record proves nothing yet.
      const isTorn = attributes === undefined && listed.isUnsure === true
      const found = isTorn ? await finder.find(object) : undefined
      if (isTorn && found === undefined) continue
      const { size, modifiedAtMs } = found?.metadata ?? listed
      const none = { etag: provisionalEtag(listed.version) }
      const known = listedAttributes(found?.metadata.attributes ?? attributes ?? none)
      entries.push({ kind: 'object', key, size, modifiedAtMs, ...known })
    }
    return entries
  }

  async requireDrive(): Promise<void> {
    const { own, server } = this.#parts
    await Promise.all([own.requireThere(), requireBucket(server, this.#bucket)])
  }
}
