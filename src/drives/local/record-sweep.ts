import fs from 'node:fs'
import { forEachLimited } from '../../process/limiter.ts'
import { unlessAbsent } from './fs-error.ts'
import { type LocalRoot, requireOwnFolder } from './local-root.ts'
import { identityOf } from './objects/file-identity.ts'
import type { FileRecords, RecordsOfPath } from './objects/file-records.ts'

/** A process that was about to publish a file, or to delete the record itself, has done it by then. */
const settledMs = 15 * 60_000
/** How long deaths that follow one another may put off the sweep. */
const longestWaitMs = 2 * settledMs
/** Bounds the memory of a sweep; the rest is left to the next one. */
const maxSuspects = 100_000
const statsAtOnce = 16
/** A file that is moved while folders are read can be missed (readdir(3p)). */
const walks = 2

type Store = Pick<FileRecords, 'repeatedPaths' | 'remove'>

/** A path whose file may have been replaced. */
interface Suspect {
  /** Old records of the path whose files were not found. */
  readonly unseen: Set<string>
  /** Whether one of its records is of a file that exists. */
  isKnown: boolean
}

/**
 * Removes the records of replaced files that a killed process could not remove any more. The attributes of a file
 * that was moved by hand must stay, so a record goes only if no file on the whole drive has its identity, and one has
 * that of another record for the same path.
 */
export class RecordSweep {
  readonly #root: LocalRoot
  readonly #records: Store
  readonly #now: () => number
  #firstDeathAt: number | undefined
  #lastDeathAt = 0

  /** @param now monotonic, milliseconds */
  constructor(root: LocalRoot, records: Store, now: () => number = () => performance.now()) {
    this.#root = root
    this.#records = records
    this.#now = now
  }

  /** A process was killed. */
  noteDeath(): void {
    this.#lastDeathAt = this.#now()
    this.#firstDeathAt ??= this.#lastDeathAt
  }

  /** Sweeps if it is time to. What the store throws, and the system's errors. */
  async run(): Promise<void> {
    const now = this.#now()
    if (this.#firstDeathAt === undefined) return
    if (now - this.#lastDeathAt < settledMs && now - this.#firstDeathAt < longestWaitMs) return
    const isLast = now - this.#lastDeathAt >= settledMs
    const suspects = await this.#suspects()
    for (let walk = 0; walk < walks && suspects.size > 0; walk += 1) await this.#look(suspects)
    const replaced = new Set<string>()
    for (const { isKnown, unseen } of suspects.values()) {
      if (isKnown) for (const identity of unseen) replaced.add(identity)
    }
    await this.#records.remove([...replaced])
    this.#firstDeathAt = isLast ? undefined : this.#lastDeathAt
  }

  /** By the identities of all their records. */
  async #suspects(): Promise<Map<string, Suspect>> {
    const suspects = new Map<string, Suspect>()
    for await (const paths of this.#records.repeatedPaths(settledMs)) {
      for (const path of paths) addSuspect(suspects, path)
      if (suspects.size >= maxSuspects) break
    }
    return suspects
  }

  /** Looks at all files. @throws the system's error: no file is known to be gone then */
  async #look(suspects: ReadonlyMap<string, Suspect>): Promise<void> {
    await requireOwnFolder(this.#root)
    // Uploads and drafts have records, too.
    const folders: Buffer[] = [Buffer.from(this.#root.path || '/')]
    for (
      let folder: Buffer | undefined = folders.pop();
      folder !== undefined;
      folder = folders.pop()
    ) {
      folders.push(...(await this.#lookIn(folder, suspects)))
    }
    await requireOwnFolder(this.#root)
  }

  /** Returns the folders in it. Names are bytes: not every name is UTF-8. */
  async #lookIn(folder: Buffer, suspects: ReadonlyMap<string, Suspect>): Promise<Buffer[]> {
    const options = { withFileTypes: true, encoding: 'buffer' } as const
    const entries = (await unlessAbsent(() => fs.promises.readdir(folder, options))) ?? []
    const folders: Buffer[] = []
    await forEachLimited(entries, statsAtOnce, async (entry) => {
      const path = Buffer.concat([folder, Buffer.from('/'), entry.name])
      if (!entry.isDirectory() && !entry.isFile()) return
      const stats = await unlessAbsent(() => fs.promises.lstat(path))
      // Nothing was written to another file system that is mounted there.
      if (stats === undefined || stats.dev !== this.#root.own.device) return
      if (stats.isDirectory()) folders.push(path)
      else noteSeen(suspects, identityOf(stats, this.#root.hasBirthtime))
    })
    return folders
  }
}

function addSuspect(suspects: Map<string, Suspect>, { identities, old }: RecordsOfPath): void {
  const suspect = { unseen: new Set(old), isKnown: false }
  for (const identity of identities) suspects.set(identity, suspect)
}

function noteSeen(suspects: ReadonlyMap<string, Suspect>, identity: string): void {
  const suspect = suspects.get(identity)
  if (suspect === undefined) return
  suspect.unseen.delete(identity)
  suspect.isKnown = true
}
