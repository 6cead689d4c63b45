import fs from 'node:fs'
import { dirname } from 'node:path'
import { DriveError } from '../../drive.ts'
import { notEmpty } from '../../not-empty.ts'
import { codeOf, unlessAbsent } from '../fs-error.ts'
import { bucketPath, type LocalRoot, ownFolderName, requireOwnFolder } from '../local-root.ts'
import {
  makeFolderDurably,
  makeFolders,
  makePrivateFolder,
  syncFolderAt,
} from './durable-folders.ts'
import { OpenFolder } from './open-folder.ts'

/**
 * The buckets' folders. A writer creates the folder of its bucket again if it was removed by hand, but
 * not if the gateway has removed the bucket: `.bucketry/removed` has a file for each such bucket, which
 * exists before the folder is removed.
 */
export class BucketFolders {
  readonly #root: LocalRoot
  readonly #marks: string

  constructor(root: LocalRoot) {
    this.#root = root
    this.#marks = `${root.path}/${ownFolderName}/removed`
  }

  /** Creates the folder if it is missing. @throws DriveError `denied` if it can't be a bucket's */
  async add(bucket: string): Promise<void> {
    await requireOwnFolder(this.#root)
    await this.#unmark(bucket)
    const path = bucketPath(this.#root, bucket)
    for (const above of foldersAbove(bucket)) {
      const stats = await unlessAbsent(() => fs.promises.lstat(bucketPath(this.#root, above)))
      if (stats?.isDirectory() === false) throw notFolder(bucketPath(this.#root, above))
    }
    await this.#make(path)
    await this.#requireUsable(path)
  }

  /** As Drive.removeBucket. */
  async remove(bucket: string): Promise<boolean> {
    await requireOwnFolder(this.#root)
    const path = bucketPath(this.#root, bucket)
    const stats = await unlessAbsent(() => fs.promises.lstat(path))
    if (stats === undefined) return false
    if (!stats.isDirectory()) throw notFolder(path)
    await this.#mark(bucket)
    try {
      await fs.promises.rmdir(path)
    } catch (error) {
      await this.#unmark(bucket)
      if (codeOf(error) === 'ENOENT') return false
      if (['ENOTEMPTY', 'EEXIST'].includes(codeOf(error))) throw notEmpty(bucket)
      throw error
    }
    await syncFolderAt(dirname(path))
    return true
  }

  /**
   * Creates a folder that was removed since `add`, for an object.
   * @throws DriveError `unavailable` if the gateway has removed the bucket
   */
  async remake(bucket: string): Promise<OpenFolder> {
    await requireOwnFolder(this.#root)
    if ((await unlessAbsent(() => fs.promises.lstat(this.#markOf(bucket)))) !== undefined) {
      throw new DriveError('unavailable', `The bucket ${bucket} was removed.`)
    }
    await makeFolders(bucketPath(this.#root, bucket))
    const folder = await OpenFolder.open(this.#root, bucket)
    if (folder !== undefined) return folder
    throw new DriveError('denied', `The folder of bucket ${bucket} is not a regular folder.`)
  }

  /** A link or a file that has the path stays: `#requireUsable` reports it. */
  async #make(path: string): Promise<void> {
    const stats = await unlessAbsent(() => fs.promises.lstat(path))
    if (stats === undefined) await makeFolderDurably(path)
  }

  /** @throws DriveError `denied` when objects cannot be moved into the folder in one step */
  async #requireUsable(path: string): Promise<void> {
    const stats = await fs.promises.lstat(path)
    if (!stats.isDirectory()) throw notFolder(path)
    if (stats.dev !== this.#root.own.device) {
      const message = `${path} is on another file system than ${this.#root.path}`
      throw new DriveError('denied', `${message}: objects can't be moved there in one step.`)
    }
    const { R_OK, W_OK, X_OK } = fs.constants
    await fs.promises.access(path, R_OK | W_OK | X_OK)
  }

  async #mark(bucket: string): Promise<void> {
    await makePrivateFolder(this.#marks)
    await fs.promises.writeFile(this.#markOf(bucket), '')
  }

  async #unmark(bucket: string): Promise<void> {
    await fs.promises.rm(this.#markOf(bucket), { force: true })
  }

  #markOf(bucket: string): string {
    return `${this.#marks}/${encodeURIComponent(bucket)}`
  }
}

/** `a` and `a/b` for `a/b/c`. */
function foldersAbove(bucket: string): string[] {
  const names = bucket.split('/')
  return names.slice(1).map((_, index) => names.slice(0, index + 1).join('/'))
}

function notFolder(path: string): DriveError {
  return new DriveError('denied', `${path} is not a folder. A bucket's folder can't be a link.`)
}
