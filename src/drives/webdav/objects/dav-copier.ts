import {
  type CopyOptions,
  type CopySource,
  DriveError,
  type ObjectMetadata,
  type ObjectName,
} from '../../drive.ts'
import { statusError } from '../client/dav-error.ts'
import type { DavPath } from '../client/dav-path.ts'
import type { DavEntry } from '../client/multistatus.ts'
import type { DavContext } from '../dav-context.ts'
import type { AttributeStore } from './attribute-store.ts'
import type { DavPublisher } from './dav-publisher.ts'
import { UnconfirmedMove } from './file-mover.ts'
import type { FoundObject, ObjectFinder } from './object-finder.ts'
import { objectPathOf } from './object-path.ts'
import { requireEntry } from './written-file.ts'

const plainMd5 = /^[0-9a-f]{32}$/

export interface DavCopierParts extends DavContext {
  readonly store: AttributeStore
  readonly finder: ObjectFinder
  readonly publisher: DavPublisher
}

/** Copies objects on the server. */
export class DavCopier {
  readonly #parts: DavCopierParts

  constructor(parts: DavCopierParts) {
    this.#parts = parts
  }

  /** As Drive.copy. */
  async copy(
    source: CopySource,
    target: ObjectName,
    options: CopyOptions,
  ): Promise<ObjectMetadata | undefined> {
    const { finder, own, publisher, rules } = this.#parts
    const found = await finder.find(objectPathOf(source.bucket, source.key, rules))
    if (found === undefined) return undefined
    if (found.metadata.attributes.etag !== source.etag) throw isGone()
    // Any other ETag is not the MD5 of the bytes. To get it, the caller must read them.
    if (!plainMd5.test(source.etag)) return undefined
    const path = own.newPath()
    try {
      const entry = await this.#copyTo(path, found, options.signal)
      const { attributes, conditions } = options
      const object = objectPathOf(target.bucket, target.key, rules)
      return await publisher.publish({ object, path, entry, attributes, conditions })
    } catch (error) {
      if (!(error instanceof UnconfirmedMove)) await own.discard(path)
      throw error
    }
  }

  async #copyTo(
    path: DavPath,
    found: FoundObject,
    signal: AbortSignal | undefined,
  ): Promise<DavEntry> {
    const { server, own, store } = this.#parts
    const paths = { from: found.path, to: path }
    const copyOptions = { overwrite: false, signal }
    const answer = await own.restoring(() => server.transfer('COPY', paths, copyOptions))
    if (answer.status === 404) throw isGone()
    if (answer.status !== 201 && answer.status !== 204) throw statusError('COPY', answer)
    // Versions are unique: if the version is the same before and after, it was there all the time.
    const after = await server.stat(found.path)
    if (after === undefined || store.versionOf(after) !== store.versionOf(found.entry)) {
      throw isGone()
    }
    const entry = requireEntry(await server.stat(path), 'the copy')
    if (entry.size !== found.metadata.size) throw isGone()
    return entry
  }
}

function isGone(): DriveError {
  return new DriveError('changed', 'The version to copy no longer exists.')
}
