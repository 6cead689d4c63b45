import type { Stats } from 'node:fs'
import type { ObjectMetadata } from '../../drive.ts'
import type { HeadOptions } from '../../read-options.ts'
import { isRealPath } from '../folders/open-folder.ts'
import { codeOf, isAbsent } from '../fs-error.ts'
import { type LocalRoot, requireOwnFolder } from '../local-root.ts'
import type { FilePath, ObjectPath } from '../object-path.ts'
import type { AttributeCache } from './attribute-cache.ts'
import { type FileIdentity, identityOf } from './file-identity.ts'
import { readFlags } from './paced-files.ts'
import type { TouchedFiles } from './touched-files.ts'

export interface FileStamp {
  readonly identity: FileIdentity
  readonly size: number
  readonly modifiedAtMs: number
}

/** One version of an object: an open file. The caller must close it. */
export interface ObjectFile extends FileStamp {
  readonly fd: number
  readonly path: string
  readonly stats: Stats
}

/** What remains true of an object's file after it was closed. */
export type ClosedFile = Omit<ObjectFile, 'fd'>

/**
 * A file is looked up at its natural path, at its alternative one, and again at both: it may be moved
 * from one to the other meanwhile.
 */
const looks = 4

/** Finds and opens the files of objects, never through a symbolic link. */
export class ObjectFiles {
  readonly #root: LocalRoot
  readonly #known: AttributeCache
  readonly #touched: TouchedFiles

  constructor(root: LocalRoot, known: AttributeCache, touched: TouchedFiles) {
    this.#root = root
    this.#known = known
    this.#touched = touched
  }

  /** Undefined when the object does not exist. */
  async open(objectPath: ObjectPath): Promise<ObjectFile | undefined> {
    for (let look = 0; look < looks; look++) {
      const file = await this.#openAt(look % 2 === 0 ? objectPath.natural : objectPath.alternative)
      if (file !== undefined) return file
    }
    // It may seem absent because the drive is not mounted.
    await requireOwnFolder(this.#root)
    return undefined
  }

  async metadataOf(
    objectPath: ObjectPath,
    file: ObjectFile,
    options: HeadOptions = {},
  ): Promise<ObjectMetadata> {
    const { identity, size, modifiedAtMs } = file
    const known = { identity, path: objectPath.path, size, modifiedAtMs }
    const recorded = options.acceptsProvisional
      ? await this.#known.ofOrProvisional(known)
      : await this.#known.of(known)
    return { size, modifiedAtMs, attributes: await this.#touched.attributesOf(file, recorded) }
  }

  /** The object's metadata; leaves no file open. */
  async head(
    objectPath: ObjectPath,
    options?: HeadOptions,
  ): Promise<{ metadata: ObjectMetadata; file: ClosedFile } | undefined> {
    const opened = await this.open(objectPath)
    if (opened === undefined) return undefined
    const { fd, ...file } = opened
    try {
      return { metadata: await this.metadataOf(objectPath, opened, options), file }
    } finally {
      await this.#root.files.close(fd)
    }
  }

  async #openAt(filePath: FilePath): Promise<ObjectFile | undefined> {
    const { files } = this.#root
    const folder = `${this.#root.path}/${filePath.folder}`
    const path = `${folder}/${filePath.name}`
    // Checked first, so that no device or FIFO is opened, and a missing file costs no exception.
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
      // ENXIO: a socket replaced the file since it was checked.
      if (isAbsent(error) || codeOf(error) === 'ENXIO') return undefined
      throw error
    }
  }
}

/**
 * The limits of reported times: HTTP dates (RFC 9110 section 5.6.7) and ISO 8601 have four digits for
 * the year. A file may have any time (utimensat(2)).
 */
const earliestMs = Date.parse('0001-01-01T00:00:00.000Z')
const latestMs = Date.parse('9999-12-31T23:59:59.999Z')

/** The parts of a file's status that the drive uses. */
export function describe(stats: Stats, root: Pick<LocalRoot, 'hasBirthtime'>): FileStamp {
  return {
    identity: identityOf(stats, root.hasBirthtime),
    size: stats.size,
    modifiedAtMs: Math.min(Math.max(stats.mtimeMs, earliestMs), latestMs),
  }
}
