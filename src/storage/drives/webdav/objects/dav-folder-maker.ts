import { DriveError } from '../../drive-error.ts'
import type { KeyLease } from '../../kit/key-leases.ts'
import { StatusError } from '../client/dav-error.ts'
import type { DavPath } from '../client/dav-path.ts'
import type { DavContext } from '../dav-context.ts'
import { bucketFolder, type DavObjectPath, ownerOf, textOf } from './object-path.ts'

/** Attempts while other clients change the folders on the way. */
const attempts = 16

/** Creates folders for keys, each under the lease of its path. */
export class DavFolderMaker {
  readonly #parts: DavContext

  constructor(parts: DavContext) {
    this.#parts = parts
  }

  /**
   * Creates the folder and those above it, for the object. The bucket's folder must exist. An
   * object's file at the path of a needed folder is moved to its alternative path.
   * @returns whether any folder was created
   */
  async ensure(object: DavObjectPath, folder: DavPath): Promise<boolean> {
    for (let attempt = 0; attempt < attempts; attempt++) {
      const first = await this.#firstMissing(folder, depthOf(object))
      if (first > folder.length) return attempt > 0
      await this.#makeFrom(object, folder, first)
    }
    throw new DriveError('busy', `Folder ${textOf(folder)} keeps being removed by another client.`)
  }

  /** The length of the shortest leading path that is not a folder; full length + 1 when all exist. */
  async #firstMissing(folder: DavPath, bucketDepth: number): Promise<number> {
    if (await this.#isFolder(folder)) return folder.length + 1
    if (folder.length <= bucketDepth) throw bucketIsGone(folder)
    // A binary search checks a hundred folders in seven steps.
    let [present, missing] = [bucketDepth, folder.length]
    while (missing - present > 1) {
      const middle = (present + missing) >> 1
      if (await this.#isFolder(folder.slice(0, middle))) present = middle
      else missing = middle
    }
    return missing
  }

  async #makeFrom(object: DavObjectPath, folder: DavPath, first: number): Promise<void> {
    const { leases, records } = this.#parts
    const paths = Array.from({ length: folder.length - first + 1 }, (_, index) =>
      folder.slice(0, first + index),
    )
    const keys = paths.map(textOf)
    await leases.hold(keys, async (lease) => {
      const above = folder.slice(0, first - 1)
      if (above.length > depthOf(object)) await leases.untilFree([textOf(above)])
      else if (!(await this.#isFolder(above))) throw bucketIsGone(above)
      const present = await this.#parts.server.stat(paths[0] ?? folder)
      if (present?.isFolder === true) return
      lease.bumpRevision(...[above, ...paths].map(textOf))
      if (present !== undefined) await this.#displace(object, paths[0] ?? folder, lease)
      await records.addOwnFolders(keys)
      for (const path of paths) {
        lease.assertHeld()
        // Another client created it or removed its parent: the next attempt checks again.
        if (!(await this.#parts.server.makeFolder(path))) return
      }
    })
  }

  /** Moves the file at the path of a needed folder to its alternative path. */
  async #displace(object: DavObjectPath, path: DavPath, lease: KeyLease): Promise<void> {
    const owner = ownerOf(object, textOf(path), this.#parts.rules)
    if (owner === undefined) {
      const message = `${textOf(path)} must be a folder for this key, but is a file. Move it away.`
      throw new DriveError('denied', message)
    }
    const folder = owner.alternative.slice(0, -1)
    if (folder.length > owner.natural.length - 1) await this.ensure(owner, folder)
    // While both files exist, the natural one is the object.
    const paths = { from: path, to: owner.alternative }
    const options = { overwrite: true, beforeAttempt: () => lease.assertHeld() }
    const answer = await this.#parts.server.transfer('MOVE', paths, options)
    if (answer.status >= 300 && answer.status !== 404) throw new StatusError('MOVE', answer)
  }

  async #isFolder(path: DavPath): Promise<boolean> {
    return (await this.#parts.server.stat(path))?.isFolder === true
  }
}

/** How many folders lead to the bucket's content. */
function depthOf({ bucket }: DavObjectPath): number {
  return bucketFolder(bucket).length
}

function bucketIsGone(folder: DavPath): DriveError {
  const message = `The bucket's folder ${textOf(folder)} is no longer on the drive.`
  return new DriveError('no-bucket', message)
}
