import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import type { Database } from '../../src/platform/state/database.ts'
import { openDatabase } from '../../src/platform/state/open-database.ts'
import type { Drive } from '../../src/storage/drives/drive.ts'
import { GoogleApi } from '../../src/storage/drives/google/api/google-api.ts'
import {
  type GoogleDriveOptions,
  openParts,
  GoogleDrive as RealGoogleDrive,
} from '../../src/storage/drives/google/google-drive.ts'
import { DatabaseDriveIndex } from '../../src/storage/drives/google/index/drive-index-table.ts'
import { blockBytes, SendMemory } from '../../src/storage/drives/google/uploads/send-memory.ts'
import type { Clock } from '../../src/storage/drives/kit/cloud/retry-policy.ts'
import { DatabaseLeases } from '../../src/storage/drives/kit/key-lease-table.ts'
import { DatabaseDriveUploads } from '../../src/storage/drives/kit/uploads/drive-upload-table.ts'
import { type GoogleEmulator, startGoogleEmulator } from '../fakes/google/google-emulator.ts'
import { until } from '../support/management-client.ts'
import { PoisonedPool } from '../support/poisoned-pool.ts'
import {
  type ByHand,
  buckets,
  type DriveUnderTest,
  type MakeDrive,
  type MakeOptions,
  noVersions,
} from './drive/drive-suite.ts'
import { sortedKeys } from './drive/stored-object.ts'

export const driveFolder = 'Backups/s3'

/** A drive that a test can tell to read the feed. */
export interface GoogleDrive extends Drive {
  /** Resolves when some process has read the feed to its end after this call. */
  refresh(): Promise<void>
}

/** As `openGoogleDrive`. */
export async function openRefreshed(options: GoogleDriveOptions): Promise<GoogleDrive> {
  const parts = await openParts(options)
  const { index, rootId, sync, now } = parts
  const refresh = async () => {
    const sinceMs = now()
    const isRead = async () => {
      const failure = await sync.turn(sinceMs)
      const state = await index.state(rootId)
      const { isReady = false, polledAtMs = 0 } = state ?? {}
      // Not if the clock was set back meanwhile.
      if (isReady && polledAtMs >= sinceMs && polledAtMs <= now()) return true
      if (failure !== undefined) throw failure
      return false
    }
    // Another process may be reading it.
    await until(isRead)
  }
  return Object.assign(new RealGoogleDrive(parts), { refresh })
}

/** An emulated Google Drive with a database, and drives over both. */
export interface GoogleWorld {
  readonly emulator: GoogleEmulator
  readonly database: Database
  /** The drives' warnings. */
  readonly warnings: readonly string[]
  open(options?: Partial<GoogleDriveOptions>): Promise<GoogleDrive>
}

export async function googleWorld(
  t: TestContext,
  names: readonly string[] = buckets,
): Promise<GoogleWorld> {
  const emulator = await startGoogleEmulator()
  const { database, options: stores } = await emptyDatabase(t)
  const drives: GoogleDrive[] = []
  const warnings: string[] = []
  const log = {
    info: () => undefined,
    warn: (_: object, message: string) => void warnings.push(message),
  }
  const open = async (options: Partial<GoogleDriveOptions> = {}) => {
    const drive = await openRefreshed({
      api: hastyApi(emulator),
      folder: driveFolder,
      ...stores,
      // A test reads the feed when it means to: on a slow machine, a poll could come at any time.
      pollSeconds: 3600,
      deletes: 'trash',
      log,
      // A block that is used after its return to the pool causes a wrong MD5.
      memory: new SendMemory(undefined, new PoisonedPool(blockBytes, 4)),
      ...options,
    })
    drives.push(drive)
    await drive.prepare(names)
    return drive
  }
  t.after(async () => {
    for (const drive of drives) await drive.close()
    await emulator.close()
  })
  return { emulator, database, warnings, open }
}

/** An API whose pauses take no time, although its clock advances. */
export function hastyApi({ endpoints, credentials }: GoogleEmulator): GoogleApi {
  let aheadMs = 0
  const clock: Clock = {
    now: () => Date.now() + aheadMs,
    elapsed: () => performance.now() + aheadMs,
    random: Math.random,
    async wait(ms, signal) {
      signal?.throwIfAborted()
      aheadMs += ms
      await setImmediate()
    },
  }
  return new GoogleApi({ endpoints, credentials, clock })
}

/** An empty database, and the stores that a drive needs. */
export async function emptyDatabase(t: TestContext) {
  const folder = mkdtempSync(join(tmpdir(), 'bucketry-google-'))
  const location = { kind: 'sqlite', path: join(folder, 'bucketry.db') } as const
  const database = await openDatabase(location, { migrate: true })
  t.after(async () => {
    await database.close()
    rmSync(folder, { recursive: true, force: true })
  })
  const options = {
    index: new DatabaseDriveIndex(database),
    records: new DatabaseDriveUploads(database),
    leases: new DatabaseLeases(database),
  }
  return { database, options }
}

/** A user of Drive's web page, in the first bucket's folder. */
class GoogleByHand implements ByHand {
  readonly #emulator: GoogleEmulator
  readonly #drive: GoogleDrive
  readonly #bucketId: string

  constructor(emulator: GoogleEmulator, drive: GoogleDrive, bucket: string) {
    this.#emulator = emulator
    this.#drive = drive
    this.#bucketId = folderAt(emulator, `${driveFolder}/${bucket}`)
  }

  async put(path: string, bytes: Uint8Array): Promise<void> {
    const names = path.split('/')
    const name = names.pop() ?? ''
    const parent = this.#folder(names)
    const there = this.#child(parent, name, false)
    const { byHand } = this.#emulator
    if (there === undefined) await byHand.file(name, bytes, { parent })
    else await byHand.replace(there, bytes)
    await this.#drive.refresh()
  }

  async remove(path: string): Promise<void> {
    const names = path.split('/')
    const name = names.pop() ?? ''
    const id = this.#child(this.#folder(names), name, false)
    if (id === undefined) throw new Error(`there is no ${path}`)
    this.#emulator.byHand.trash(id)
    await this.#drive.refresh()
  }

  async makeFolder(path: string): Promise<void> {
    this.#folder(path.split('/'))
    await this.#drive.refresh()
  }

  async list(): Promise<string[]> {
    return sortedKeys(this.#below(this.#bucketId, ''))
  }

  #folder(names: readonly string[]): string {
    const { byHand } = this.#emulator
    let id = this.#bucketId
    for (const name of names) id = this.#child(id, name, true) ?? byHand.folder(name, id)
    return id
  }

  #child(parent: string, name: string, isFolder: boolean): string | undefined {
    return this.#children(parent).find(
      (child) => child.name === name && (child.content === undefined) === isFolder,
    )?.id
  }

  #children(id: string) {
    return this.#emulator.byHand.children(id).filter((child) => !child.isTrashed)
  }

  #below(id: string, prefix: string): string[] {
    return this.#children(id).flatMap((child) => {
      const path = prefix + child.name
      return child.content === undefined
        ? [`${path}/`, ...this.#below(child.id, `${path}/`)]
        : [path]
    })
  }
}

/** The id of a folder below My Drive. */
export function folderAt({ byHand, rootFolderId }: GoogleEmulator, path: string): string {
  return path.split('/').reduce((parent, name) => {
    const child = byHand.children(parent).find((one) => one.name === name && !one.isTrashed)
    if (child === undefined) throw new Error(`there is no ${path}`)
    return child.id
  }, rootFolderId)
}

/** Files in the staging folder, and open sessions. */
export function leftoversIn({ byHand, sessions, rootFolderId }: GoogleEmulator): string[] {
  const root = driveFolder
    .split('/')
    .reduce<string | undefined>(
      (parent, name) => parent && byHand.children(parent).find((child) => child.name === name)?.id,
      rootFolderId,
    )
  const staging = byHand.children(root ?? '').find((child) => child.name === '.bucketry')
  const staged = staging === undefined ? [] : byHand.children(staging.id)
  return [...staged.map((file) => file.name), ...sessions.open().map((session) => session.id)]
}

/** The Google drive with its own emulator, for the contract. */
export const makeGoogleDrive: MakeDrive = (t, options) => makeGoogleDriveWith(t, options, buckets)

/** The same, with buckets of these names. */
export async function makeGoogleDriveWith(
  t: TestContext,
  options: MakeOptions,
  names: readonly [first: string, ...string[]],
): Promise<DriveUnderTest & Required<Pick<DriveUnderTest, 'reopen'>>> {
  const world = await googleWorld(t, names)
  const { emulator } = world
  const drive = await world.open()
  if (options.capacityBytes !== undefined) emulator.knobs.limitBytes = options.capacityBytes
  return {
    drive,
    reopen: () => world.open(),
    byHand: new GoogleByHand(emulator, drive, names[0]),
    etagByHand: /^[0-9a-f]{32}$/,
    leftovers: async () => leftoversIn(emulator),
  }
}

export const googleDriveLacks = {
  replaceLast: "a session's bytes can't be taken back, and the last part may be any size",
  keptVersions: 'of earlier revisions, Google returns only those marked "keep forever"',
  truncate: "a session's bytes can't be taken back",
  anyOrder: 'a session takes bytes in order',
  ...noVersions,
}
