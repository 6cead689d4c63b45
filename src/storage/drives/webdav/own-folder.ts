import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { hasEnded } from '../../../platform/process/ended-processes.ts'
import { livenessOf, type ProcessName, thisProcess } from '../../../platform/process/identity.ts'
import { DriveError } from '../drive-error.ts'
import type { DriveNotes, NoteName } from '../drive-notes.ts'
import type { DavAnswer } from './client/dav-client.ts'
import { StatusError } from './client/dav-error.ts'
import type { DavPath } from './client/dav-path.ts'
import type { DavServer } from './client/dav-server.ts'
import type { DavEntry } from './client/multistatus.ts'
import { bucketFolder } from './objects/object-path.ts'
import { readSmallFile } from './objects/own-files.ts'

/** Below the drive's root. No bucket can have this name. */
const ownFolderName = '.bucketry'
/** Files of a process on another machine are swept when they are this old. */
const elsewhereLimitMs = 24 * 3_600_000
/** How long a check of the folder is valid for requests of absent objects. */
const checkValidMs = 5_000

export const uploadsFolder: DavPath = [ownFolderName, 'uploads']
export const namesFile: DavPath = [ownFolderName, 'names.json']

function noteFile(name: NoteName): DavPath {
  return [ownFolderName, `${name}.json`]
}

/** Holds folders while they are checked before their removal. It is never swept. */
const asideFolder: DavPath = [ownFolderName, 'aside']
const tmpFolder: DavPath = [ownFolderName, 'tmp']
const processFolder: DavPath = [...tmpFolder, folderNameOf(thisProcess)]

/** The hidden folder of the drive, for files that are not yet objects and for uploads. */
export class OwnFolder {
  readonly #server: DavServer
  #isNew = false
  #seenAt = Number.NEGATIVE_INFINITY

  constructor(server: DavServer) {
    this.#server = server
  }

  /**
   * Creates the folders of this process, and the root if it is missing.
   * @param hasRoot whether the root is known to exist
   * @returns whether this process created the drive's own folder, now or before
   */
  async prepare({ hasRoot = false } = {}): Promise<boolean> {
    if (!hasRoot) await this.#ensure([])
    const isNew = await this.#ensure([ownFolderName], { isNew: true })
    this.#isNew ||= isNew
    for (const path of [tmpFolder, uploadsFolder, asideFolder]) {
      await this.#ensure(path, { isNew })
    }
    await this.#ensure(processFolder, { isNew: true })
    return this.#isNew
  }

  /**
   * Creates the folders of this process again if the answer to a write shows that they are missing:
   * they were removed by hand, or by a gateway that took this process for dead.
   * @returns whether to repeat the write
   */
  async restoreAfter({ status }: Pick<DavAnswer, 'status'>): Promise<boolean> {
    if (status !== 404 && status !== 409) return false
    await this.#restore()
    return true
  }

  /** Sends a write, and repeats it once if the folders of this process were missing. */
  async restoring(send: () => Promise<DavAnswer>): Promise<DavAnswer> {
    const answer = await send()
    return (await this.restoreAfter(answer)) ? await send() : answer
  }

  async #restore(): Promise<void> {
    await this.requireThere()
    await this.prepare()
  }

  /**
   * @throws DriveError `unavailable` when the drive itself is missing: the empty mount point of a disk
   *   that is not mounted must not become a new drive.
   */
  async requireThere(): Promise<void> {
    const entry = await this.#server.statFolder([ownFolderName])
    this.#seenAt = entry === undefined ? Number.NEGATIVE_INFINITY : performance.now()
    if (entry === undefined) {
      const message = `The folder ${ownFolderName} of the drive no longer exists.`
      throw new DriveError('unavailable', `${message} Check the server's disks, then restart.`)
    }
  }

  /** As `requireThere`, at most once every few seconds, because clients often request absent objects. */
  async expectThere(): Promise<void> {
    if (performance.now() - this.#seenAt > checkValidMs) await this.requireThere()
  }

  /** A unique path. */
  newPath(): DavPath {
    return [...processFolder, randomBytes(12).toString('base64url')]
  }

  /** A unique path that is never swept. */
  newAside(): DavPath {
    return [...asideFolder, randomBytes(12).toString('base64url')]
  }

  /** Runs `work` with a new folder, which is then removed with its content. */
  async withFolder<R>(work: (folder: DavPath) => Promise<R>): Promise<R> {
    const folder = this.newPath()
    await this.#ensure(folder, { isNew: true })
    try {
      return await work(folder)
    } finally {
      // If that fails, it is swept after this process has ended.
      await this.#server.removeFolder(folder).catch(() => undefined)
    }
  }

  /** Removes one of our files. Never rejects: leftovers are swept later. */
  async discard(path: DavPath): Promise<void> {
    try {
      await this.#server.removeFile(path)
    } catch {
      // The server is unavailable or busy.
    }
  }

  async check(): Promise<void> {
    const entry = await this.#server.statFolder(processFolder)
    if (entry === undefined) await this.#restore()
  }

  /** Removes the files of dead processes. */
  async sweep(nowMs: number): Promise<void> {
    const folder = await this.#server.list(tmpFolder)
    for (const { name, isFolder, modifiedAtMs } of folder?.children ?? []) {
      if (!isFolder) continue
      const liveness = livenessOf(processOf(name))
      const isOld = modifiedAtMs > 0 && modifiedAtMs < nowMs - elsewhereLimitMs
      const isGone = liveness === 'elsewhere' && (isOld || hasEnded(processOf(name)))
      if (liveness === 'dead' || isGone) {
        await this.#server.removeFolder([...tmpFolder, name])
      }
    }
  }

  /**
   * Creates a folder if it is missing.
   * @param isNew whether it probably does not exist: skips the first check
   * @returns whether it was created
   */
  async #ensure(path: DavPath, { isNew = false } = {}): Promise<boolean> {
    if (!isNew && (await this.#server.statFolder(path)) !== undefined) return false
    // Apache answers 403 when another process creates the folder at the same moment.
    const made = await this.#server.makeFolder(path).catch((error: unknown) => error)
    if (made === true) return true
    if ((await this.#server.statFolder(path)) !== undefined) return false
    if (made !== false) throw made
    const message =
      path.length === 0
        ? 'Neither the folder in DRIVE nor its parent exists. Create it first, or ' +
          "correct the path in DRIVE if this is not the server's WebDAV path."
        : `The WebDAV server does not create the folder ${path.join('/')}.`
    throw new DriveError('denied', message)
  }
}

/** @throws DriveError `no-bucket` when the bucket's folder is missing */
export async function requireBucket(server: DavServer, bucket: string): Promise<DavEntry> {
  const entry = await server.statFolder(bucketFolder(bucket))
  if (entry !== undefined) return entry
  const message = `The folder of bucket ${bucket} is not on the drive. Restart to create it.`
  throw new DriveError('no-bucket', message)
}

/** Process names contain `/`, which is not allowed in a name on a server. */
function folderNameOf(process: ProcessName): string {
  return process.replaceAll('/', '~')
}

function processOf(name: string): ProcessName {
  return name.replaceAll('~', '/')
}

/** Enough for the names of all buckets that can be created. */
const maxNoteBytes = 128 * 1024
const written = [200, 201, 204]
/** Longer than a server needs between the check of a MOVE's destination and the rename. */
const defaultSettleMs = 1_000

/** The notes of a WebDAV drive: `.bucketry/owner.json` and others. */
export class DavNotes implements DriveNotes {
  readonly settleMs: number
  readonly #server: DavServer
  readonly #own: OwnFolder

  constructor(server: DavServer, own: OwnFolder, settleMs = defaultSettleMs) {
    this.#server = server
    this.#own = own
    this.settleMs = settleMs
  }

  async read(name: NoteName): Promise<string | undefined> {
    const bytes = await readSmallFile(this.#server, noteFile(name), maxNoteBytes)
    return bytes?.toString()
  }

  async create(name: NoteName, text: string): Promise<boolean> {
    await this.#own.prepare()
    const from = this.#own.newPath()
    await this.#server.store(from, Buffer.from(text))
    // RFC 4918 section 9.9.3: with `Overwrite: F` a MOVE to an existing note gets 412.
    const to = noteFile(name)
    const answer = await this.#server.transfer('MOVE', { from, to }, { overwrite: false })
    if (written.includes(answer.status)) {
      // If several such MOVEs run at the same time, Apache may let each replace the note of the one before.
      await sleep(this.settleMs)
      return (await this.read(name)) === text
    }
    await this.#own.discard(from)
    if ((await this.read(name)) === undefined) throw new StatusError('MOVE', answer)
    return false
  }

  async write(name: NoteName, text: string): Promise<void> {
    // Not with a MOVE, for which Apache and Nextcloud would remove the note first.
    // Some servers create missing folders on PUT.
    await this.#own.requireThere()
    await this.#server.store(noteFile(name), Buffer.from(text))
  }
}
