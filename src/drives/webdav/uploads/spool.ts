import type { Dirent } from 'node:fs'
import { lstat, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { DriveError } from '../../drive.ts'

/** How long a look at what the folder holds is good for. */
const lookMs = 1_000
/** Marks and empty folders of uploads: nothing whose end would make room. */
const littleBytes = 64 * 1024
/** Names of files that are about to have none. */
const namelessPrefix = 'unsized-'

export interface SpoolOptions {
  /** On this machine, for all processes that serve this drive; made when it is needed. */
  readonly folder: string
  /** What all that waits there may take. */
  readonly maxBytes: number
}

/** What the folder held, and how much of each claim is among it at least. */
interface Look {
  readonly bytes: number
  readonly counted: ReadonlyMap<SpoolClaim, number>
  readonly startedAtMs: number
}

/**
 * The space of the staging directory on this machine. This process claims it before it writes; the
 * use of other processes is seen when the folder is read, except for their nameless files.
 */
export class Spool {
  readonly folder: string
  readonly maxBytes: number
  readonly #claims = new Set<SpoolClaim>()
  #look: Look | undefined
  #looking: Promise<Look> | undefined

  constructor({ folder, maxBytes }: SpoolOptions) {
    this.folder = folder
    this.maxBytes = maxBytes
  }

  /** A claim of nothing so far, to be ended. A nameless file is not in the folder. */
  claim({ isNameless }: { isNameless: boolean }): SpoolClaim {
    const claim = new SpoolClaim(this, isNameless)
    this.#claims.add(claim)
    return claim
  }

  /** A path in the folder for a file that loses its name at once. */
  namelessPath(random: string): string {
    return join(this.folder, namelessPrefix + random)
  }

  /** Removes names left by dead processes: they are not needed. */
  async sweep(): Promise<void> {
    for (const { name } of await entriesIn(this.folder)) {
      if (name.startsWith(namelessPrefix)) await rm(join(this.folder, name), { force: true })
    }
  }

  /**
   * For SpoolClaim, when it gets larger.
   * @throws DriveError `busy` when others use the space, `full` otherwise
   */
  async requireRoom(claim: SpoolClaim): Promise<void> {
    if (this.#usedBytes(await this.#recentLook()) <= this.maxBytes) return
    // Ended uploads count until the folder is read again.
    const used = this.#usedBytes(await this.#lookAgain())
    if (used <= this.maxBytes) return
    if (used - claim.bytes > littleBytes) throw tooMany()
    const message = `The upload exceeds the local staging limit of ${this.maxBytes} bytes.`
    throw new DriveError('full', message)
  }

  /**
   * For SpoolClaim, when it has room.
   * @throws DriveError `busy` when other processes have taken more than was left
   */
  async requireUse(): Promise<void> {
    if ((await this.#recentLook()).bytes > this.maxBytes) throw tooMany()
  }

  /** For SpoolClaim: one that is in the folder counts until the next look. */
  end(claim: SpoolClaim): void {
    if (claim.isNameless || claim.bytes === 0) this.#claims.delete(claim)
  }

  #usedBytes({ bytes, counted }: Look): number {
    let used = bytes
    for (const claim of this.#claims) used += claim.bytes - (counted.get(claim) ?? 0)
    return used
  }

  async #recentLook(): Promise<Look> {
    const look = this.#look
    const isRecent = look !== undefined && performance.now() - look.startedAtMs < lookMs
    return isRecent ? look : await this.#lookAgain()
  }

  #lookAgain(): Promise<Look> {
    this.#looking ??= this.#walk().finally(() => {
      this.#looking = undefined
    })
    return this.#looking
  }

  async #walk(): Promise<Look> {
    const counted = new Map<SpoolClaim, number>()
    for (const claim of this.#claims) {
      // What is there of it then is seen now.
      if (claim.isEnded) this.#claims.delete(claim)
      else if (!claim.isNameless) counted.set(claim, claim.onDisk)
    }
    const startedAtMs = performance.now()
    this.#look = { bytes: await bytesIn(this.folder), counted, startedAtMs }
    return this.#look
  }
}

/** Room for the bytes of one part or object. */
export class SpoolClaim {
  readonly isNameless: boolean
  readonly #spool: Spool
  #announced = 0
  #taken = 0
  #onDisk = 0
  #isEnded = false

  constructor(spool: Spool, isNameless: boolean) {
    this.#spool = spool
    this.isNameless = isNameless
  }

  /** What it takes, or will. */
  get bytes(): number {
    return Math.max(this.#announced, this.#taken)
  }

  get taken(): number {
    return this.#taken
  }

  /** Written for sure. */
  get onDisk(): number {
    return this.#onDisk
  }

  get isEnded(): boolean {
    return this.#isEnded
  }

  /**
   * To be called before this many bytes are written, out of the known total, after the bytes
   * claimed last have been written.
   *
   * @throws as Spool.requireRoom, and requireUse
   */
  async take(bytes: number, announced: number): Promise<void> {
    const before = this.bytes
    this.#onDisk = this.#taken
    this.#announced = Math.max(this.#announced, announced)
    this.#taken += bytes
    if (this.bytes > before) await this.#spool.requireRoom(this)
    else await this.#spool.requireUse()
  }

  end(): void {
    this.#isEnded = true
    this.#spool.end(this)
  }
}

function tooMany(): DriveError {
  const message = 'The local staging directory is full of other uploads. Try again.'
  return new DriveError('busy', message, { retryAfterSeconds: 10 })
}

/** Files and folders may be created and deleted meanwhile. */
async function bytesIn(folder: string): Promise<number> {
  let bytes = 0
  for (const entry of await entriesIn(folder)) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) bytes += await bytesIn(path)
    else bytes += (await lstat(path).catch(() => undefined))?.size ?? 0
  }
  return bytes
}

async function entriesIn(folder: string): Promise<Dirent[]> {
  try {
    return await readdir(folder, { withFileTypes: true })
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw new DriveError('unavailable', 'Could not read the folder in DRIVE_SPOOL.', { cause })
  }
}
