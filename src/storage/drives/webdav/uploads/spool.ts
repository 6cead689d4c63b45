import type { Dirent } from 'node:fs'
import { lstat, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { DriveError } from '../../drive-error.ts'

/** How long the measured size of the folder is used. */
const measureMs = 1_000
/** The size of marks and empty folders, whose deletion frees no space. */
const littleBytes = 64 * 1024
/** Prefix of files whose name is removed as soon as they are open. */
const namelessPrefix = 'unsized-'

export interface SpoolOptions {
  /** On this machine, shared by all processes of this drive; created when it is needed. */
  readonly folder: string
  /** The limit for everything in the folder. */
  readonly maxBytes: number
}

/** The size of the folder. Each claim counts with at least `minimum` bytes. */
interface Measurement {
  readonly bytes: number
  readonly counted: ReadonlyMap<SpoolClaim, number>
  readonly startedAtMs: number
}

/**
 * The space of the staging directory on this machine. This process claims space before it writes. The
 * use of other processes is measured by reading the folder, which misses their nameless files.
 */
export class Spool {
  readonly folder: string
  readonly maxBytes: number
  readonly #claims = new Set<SpoolClaim>()
  #last: Measurement | undefined
  #measuring: Promise<Measurement> | undefined

  constructor({ folder, maxBytes }: SpoolOptions) {
    this.folder = folder
    this.maxBytes = maxBytes
  }

  /** An empty claim; the caller must end it. A nameless file is not in the folder. */
  claim({ isNameless }: { isNameless: boolean }): SpoolClaim {
    const claim = new SpoolClaim(this, isNameless)
    this.#claims.add(claim)
    return claim
  }

  /** A path in the folder for a file whose name is removed at once. */
  namelessPath(random: string): string {
    return join(this.folder, namelessPrefix + random)
  }

  /** Removes names left by dead processes. */
  async sweep(): Promise<void> {
    for (const { name } of await entriesIn(this.folder)) {
      if (name.startsWith(namelessPrefix)) await rm(join(this.folder, name), { force: true })
    }
  }

  /**
   * For SpoolClaim, when it grows.
   * @throws DriveError `busy` when others use the space, `full` otherwise
   */
  async requireSpace(claim: SpoolClaim): Promise<void> {
    if (this.#usedBytes(await this.#recent()) <= this.maxBytes) return
    // Ended uploads count until the folder is measured again.
    const used = this.#usedBytes(await this.#measure())
    if (used <= this.maxBytes) return
    if (used - claim.bytes > littleBytes) throw tooMany()
    const message = `The upload exceeds the local staging limit of ${this.maxBytes} bytes.`
    throw new DriveError('full', message)
  }

  /**
   * For SpoolClaim, when it does not grow.
   * @throws DriveError `busy` when other processes have taken more than was left
   */
  async requireUse(): Promise<void> {
    if ((await this.#recent()).bytes > this.maxBytes) throw tooMany()
  }

  /** For SpoolClaim: bytes in the folder count until the next measurement. */
  end(claim: SpoolClaim): void {
    if (claim.isNameless || claim.bytes === 0) this.#claims.delete(claim)
  }

  #usedBytes({ bytes, counted }: Measurement): number {
    let used = bytes
    for (const claim of this.#claims) used += claim.bytes - (counted.get(claim) ?? 0)
    return used
  }

  async #recent(): Promise<Measurement> {
    const last = this.#last
    const isRecent = last !== undefined && performance.now() - last.startedAtMs < measureMs
    return isRecent ? last : await this.#measure()
  }

  #measure(): Promise<Measurement> {
    this.#measuring ??= this.#walk().finally(() => {
      this.#measuring = undefined
    })
    return this.#measuring
  }

  async #walk(): Promise<Measurement> {
    const counted = new Map<SpoolClaim, number>()
    for (const claim of this.#claims) {
      if (claim.isEnded) this.#claims.delete(claim)
      else if (!claim.isNameless) counted.set(claim, claim.onDisk)
    }
    const startedAtMs = performance.now()
    this.#last = { bytes: await bytesIn(this.folder), counted, startedAtMs }
    return this.#last
  }
}

/** The space for the bytes of one part or object. */
export class SpoolClaim {
  readonly isNameless: boolean
  readonly #spool: Spool
  #declared = 0
  #taken = 0
  #onDisk = 0
  #isEnded = false

  constructor(spool: Spool, isNameless: boolean) {
    this.#spool = spool
    this.isNameless = isNameless
  }

  /** The bytes that it uses or will use. */
  get bytes(): number {
    return Math.max(this.#declared, this.#taken)
  }

  get taken(): number {
    return this.#taken
  }

  /** Bytes that are certainly written. */
  get onDisk(): number {
    return this.#onDisk
  }

  get isEnded(): boolean {
    return this.#isEnded
  }

  /**
   * Call it before writing this many bytes, after the bytes claimed last were written.
   *
   * @param declared the total, or 0 if it is unknown
   *
   * @throws as Spool.requireSpace, and requireUse
   */
  async take(bytes: number, declared: number): Promise<void> {
    const before = this.bytes
    this.#onDisk = this.#taken
    this.#declared = Math.max(this.#declared, declared)
    this.#taken += bytes
    if (this.bytes > before) await this.#spool.requireSpace(this)
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

/** Files and folders may be created and deleted while it runs. */
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
