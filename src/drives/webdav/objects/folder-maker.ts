import { DriveError } from '../../drive.ts'
import type { KeyLease } from '../../key-leases.ts'
import { statusError } from '../client/dav-error.ts'
import type { DavPath } from '../client/dav-path.ts'
import type { DavContext } from '../dav-context.ts'
import { asked } from './attribute-store.ts'
import { type DavPlace, ownerOf, textOf } from './object-path.ts'

/** How often what is on the way may change under a maker of folders. */
const attempts = 16

/** Makes folders for keys. A folder is made by who holds the lease of its path. */
export class FolderMaker {
  readonly #parts: DavContext

  constructor(parts: DavContext) {
    this.#parts = parts
  }

  /**
   * Makes the folder, and those above it, for the object of `place`. The bucket's folder must be
   * there. An object's file where a folder must be gives way to its alternative path.
   * @returns whether any was made
   */
  async ensure(place: DavPlace, folder: DavPath): Promise<boolean> {
    for (let attempt = 0; attempt < attempts; attempt++) {
      const first = await this.#firstMissing(folder)
      if (first > folder.length) return attempt > 0
      await this.#makeFrom(place, folder, first)
    }
    throw new DriveError('busy', `Folder ${textOf(folder)} keeps being removed by another client.`)
  }

  /**
   * The length of the shortest leading path that is not a folder; full length + 1 when all exist.
   */
  async #firstMissing(folder: DavPath): Promise<number> {
    if (await this.#isFolder(folder)) return folder.length + 1
    if (folder.length === 1) throw bucketIsGone(folder)
    // Binary search: a hundred folders are checked in seven steps.
    let [present, missing] = [1, folder.length]
    while (missing - present > 1) {
      const middle = (present + missing) >> 1
      if (await this.#isFolder(folder.slice(0, middle))) present = middle
      else missing = middle
    }
    return missing
  }

  async #makeFrom(place: DavPlace, folder: DavPath, first: number): Promise<void> {
    const { leases, records } = this.#parts
    const paths = Array.from({ length: folder.length - first + 1 }, (_, index) =>
      folder.slice(0, first + index),
    )
    const places = paths.map(textOf)
    await leases.hold(places, async (lease) => {
      const above = folder.slice(0, first - 1)
      if (above.length > 1) await leases.untilFree([textOf(above)])
      else if (!(await this.#isFolder(above))) throw bucketIsGone(above)
      const there = await this.#parts.server.stat(paths[0] ?? folder)
      if (there?.isFolder === true) return
      lease.bumpRevision(...[above, ...paths].map(textOf))
      if (there !== undefined) await this.#displace(place, paths[0] ?? folder, lease)
      await asked(records.addOwnFolders(places))
      for (const path of paths) {
        lease.assertHeld()
        // Created by hand meanwhile, or its parent is gone: the next attempt will see.
        if (!(await this.#parts.server.makeFolder(path))) return
      }
    })
  }

  /** Moves the file that is where a folder must be to its alternative path. */
  async #displace(place: DavPlace, path: DavPath, lease: KeyLease): Promise<void> {
    const owner = ownerOf(place, textOf(path), this.#parts.rules)
    if (owner === undefined) {
      const message = `${textOf(path)} must be a folder for this key, but is a file. Move it away.`
      throw new DriveError('denied', message)
    }
    const folder = owner.alternative.slice(0, -1)
    if (folder.length > owner.natural.length - 1) await this.ensure(owner, folder)
    // The natural file counts while both are there.
    const paths = { from: path, to: owner.alternative }
    const options = { overwrite: true, beforeAttempt: () => lease.assertHeld() }
    const answer = await this.#parts.server.transfer('MOVE', paths, options)
    if (answer.status >= 300 && answer.status !== 404) throw statusError('MOVE', answer)
  }

  async #isFolder(path: DavPath): Promise<boolean> {
    return (await this.#parts.server.stat(path))?.isFolder === true
  }
}

function bucketIsGone(folder: DavPath): DriveError {
  const message = `The bucket's folder ${textOf(folder)} is no longer on the drive.`
  return new DriveError('unavailable', message)
}
