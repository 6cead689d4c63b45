import type { Entry, FolderEntry } from '../../drive.ts'
import type { FolderTree, ReadFolder } from '../../folder-cursor.ts'
import { pathOfFolder } from '../../key-path.ts'
import type { DavPath } from '../client/dav-path.ts'
import type { DavContext } from '../dav-context.ts'
import { requireBucket } from '../own-folder.ts'
import type { DavFolderIndex } from './dav-folder-index.ts'
import { type DavCandidate, describeEntries } from './describe-entries.ts'
import type { FolderLister } from './folder-lister.ts'

export interface DavTreeParts extends DavContext {
  readonly lister: FolderLister
}

type DavFolder = ReadFolder<DavFolderIndex, DavPath>

/** The folders of one bucket on the server. */
export class DavTree implements FolderTree<DavFolder, DavCandidate> {
  readonly #parts: DavTreeParts
  readonly #bucket: string
  readonly #mayBeCached: boolean

  /** @param mayBeCached The first page reads the drive; the following ones may use cached folders. */
  constructor(parts: DavTreeParts, bucket: string, { mayBeCached }: { mayBeCached: boolean }) {
    this.#parts = parts
    this.#bucket = bucket
    this.#mayBeCached = mayBeCached
  }

  async read(
    key: string,
    path: DavPath = [this.#bucket, ...pathOfFolder(key, this.#parts.rules)],
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
    return await describeEntries(this.#parts, this.#bucket, candidates)
  }

  async requireDrive(): Promise<void> {
    const { own, server } = this.#parts
    await Promise.all([own.requireThere(), requireBucket(server, this.#bucket)])
  }
}
