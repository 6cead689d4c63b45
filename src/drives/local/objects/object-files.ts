import type { Stats } from 'node:fs'
import type { ObjectMetadata } from '../../drive.ts'
import { isRealPath } from '../folders/open-folder.ts'
import { codeOf, isAbsent } from '../fs-error.ts'
import { type LocalRoot, requireOwnFolder } from '../local-root.ts'
import type { Place, Spot } from '../object-path.ts'
import type { AttributeCache } from './attribute-cache.ts'
import { type FileIdentity, identityOf } from './file-identity.ts'
import { readFlags } from './paced-files.ts'

export interface FileFacts {
  readonly identity: FileIdentity
  readonly size: number
  readonly modifiedAtMs: number
}

/** One version of an object: an open file. The one who asked for it closes it. */
export interface ObjectFile extends FileFacts {
  readonly fd: number
  readonly path: string
  readonly stats: Stats
}

/**
 * A file is looked up at its natural path, then at its alternative one, then again: it may have
 * been moved from the one not yet checked to the other in between.
 */
const looks = 4

/** Finds and opens objects' files, never through a symbolic link. */
export class ObjectFiles {
  readonly #root: LocalRoot
  readonly #known: AttributeCache

  constructor(root: LocalRoot, known: AttributeCache) {
    this.#root = root
    this.#known = known
  }

  /** Undefined when the object does not exist. */
  async open(place: Place): Promise<ObjectFile | undefined> {
    for (let look = 0; look < looks; look++) {
      const file = await this.#openAt(look % 2 === 0 ? place.natural : place.alternative)
      if (file !== undefined) return file
    }
    // It may only seem to be absent because the drive is gone.
    await requireOwnFolder(this.#root)
    return undefined
  }

  async facts(place: Place, file: ObjectFile): Promise<ObjectMetadata> {
    const { identity, size, modifiedAtMs } = file
    const attributes = await this.#known.of({ identity, place: place.path, size, modifiedAtMs })
    return { size, modifiedAtMs, attributes }
  }

  /** The object's facts, nothing left open. */
  async head(place: Place): Promise<(ObjectMetadata & { identity: FileIdentity }) | undefined> {
    const file = await this.open(place)
    if (file === undefined) return undefined
    await this.#root.files.close(file.fd)
    return { ...(await this.facts(place, file)), identity: file.identity }
  }

  async #openAt(spot: Spot): Promise<ObjectFile | undefined> {
    const { files } = this.#root
    const folder = `${this.#root.path}/${spot.folder}`
    const path = `${folder}/${spot.name}`
    // Asked first so that a device or FIFO is not even opened; and a miss costs no exception.
    if (!(await files.lstat(path))?.isFile()) return undefined
    const fd = await this.#openPath(path)
    if (fd === undefined) return undefined
    try {
      const stats = await files.fstat(fd)
      if (stats.isFile() && (await isRealPath(this.#root, { fd, path, folder }))) {
        return { fd, path, stats, ...describe(stats, this.#root) }
      }
    } catch (error) {
      await files.close(fd)
      throw error
    }
    await files.close(fd)
    return undefined
  }

  async #openPath(path: string): Promise<number | undefined> {
    try {
      return await this.#root.files.open(path, readFlags)
    } catch (error) {
      if (isAbsent(error)) return undefined
      if (codeOf(error) !== 'ENXIO') throw error
      // A socket replaced the file since it was checked.
      return undefined
    }
  }
}

/**
 * What times can be said of: HTTP dates (RFC 9110 section 5.6.7) and ISO 8601 have four digits for the
 * year. A file may have any time (utimensat(2)).
 */
const earliestMs = Date.parse('0001-01-01T00:00:00.000Z')
const latestMs = Date.parse('9999-12-31T23:59:59.999Z')

/** What of a file's status the drive goes by. */
export function describe(stats: Stats, root: LocalRoot): FileFacts {
  return {
    identity: identityOf(stats, root.hasBirthtime),
    size: stats.size,
    modifiedAtMs: Math.min(Math.max(stats.mtimeMs, earliestMs), latestMs),
  }
}
