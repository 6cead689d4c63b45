import assert from 'node:assert/strict'
import fs from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { DriveOwner } from '../../../../../src/app/fleet/drive-owner.ts'
import { noteText, parseOwnerNote } from '../../../../../src/app/fleet/known-drives.ts'
import { createLog } from '../../../../../src/app/telemetry/log.ts'
import type { DriveNotes } from '../../../../../src/storage/drives/drive-notes.ts'
import { LocalNotes } from '../../../../../src/storage/drives/local/local-notes.ts'

export const beatMs = 40
/** As of a gateway of the same drive over WebDAV. */
export const longestBeatMs = 3 * beatMs
export const writeWindowMs = 200
/** In real use an owner is watched longer than another gateway waits after a takeover. */
export const longBeatMs = writeWindowMs + beatMs

/** A database for several gateways. */
export class Table {
  readonly locations = new Map<string, string>()
  #id: string | undefined
  readonly #name: string

  constructor(name: string) {
    this.#name = name
  }

  async databaseId(): Promise<string> {
    this.#id ??= this.#name
    return this.#id
  }

  async driveAt(location: string): Promise<string | undefined> {
    return this.locations.get(location)
  }

  async remember(location: string, driveId: string): Promise<void> {
    this.locations.set(location, driveId)
  }
}

export function scene(t: TestContext) {
  const folder = fs.mkdtempSync(join(tmpdir(), 'bucketry-owner-'))
  t.after(() => fs.rmSync(folder, { recursive: true, force: true }))
  const root = join(folder, 'drive')
  const warnings: string[] = []
  const gateway = (table: Table, longestMs = longestBeatMs, changes: { beatMs?: number } = {}) => {
    const lost: string[] = []
    const log = createLog('warn', { write: (line) => void warnings.push(line) })
    const onLost = (message: string) => void lost.push(message)
    const options = { table, locations: [`file:${root}`], database: `sqlite:${table}` }
    const times = { beatMs, answerMs: beatMs, writeWindowMs, longestBeatMs: longestMs, ...changes }
    const owner = new DriveOwner({ ...options, ...times, log, onLost })
    t.after(() => owner.close())
    return { owner, lost, claim: (notes: DriveNotes = new LocalNotes(root)) => owner.claim(notes) }
  }
  const ownerNote = () => {
    return parseOwnerNote(fs.readFileSync(join(root, '.bucketry/owner.json'), 'utf8'))
  }
  /** Makes the last heartbeat one of a process on another machine. */
  const moveElsewhere = async (fields: { beatMs?: number } = { beatMs }) => {
    const alive = {
      databaseId: 'a',
      process: 'other-host/1/1',
      host: 'other',
      beat: 'last',
      ...fields,
    }
    await new LocalNotes(root).write('alive', noteText(alive))
  }
  return { root, warnings, gateway, ownerNote, moveElsewhere }
}

/**
 * Lets one gateway of each database claim the drive at once. One of them keeps it. On a busy machine,
 * another may read the note, and write its own later than the first one waits: then the first one
 * begins, and stops at its next heartbeat.
 */
export async function assertOneKeeps(
  { gateway, ownerNote }: Pick<ReturnType<typeof scene>, 'gateway' | 'ownerNote'>,
  names: readonly string[],
  longestMs?: number,
): Promise<void> {
  const rivals = names.map((name) => ({ name, ...gateway(new Table(name), longestMs) }))
  const outcomes = await Promise.allSettled(rivals.map(({ claim }) => claim()))
  const begun = rivals.filter((_, index) => outcomes[index]?.status === 'fulfilled')
  const isKeeper = ({ name }: { readonly name: string }) => name === ownerNote()?.databaseId
  await until(() => begun.every((rival) => isKeeper(rival) || rival.lost.length === 1))
  const keepers = begun.filter(isKeeper)
  assert.deepEqual(
    keepers.map(({ lost }) => lost),
    [[]],
  )
}

export async function until(isTrue: () => boolean): Promise<void> {
  for (let waited = 0; !isTrue(); waited += 10) {
    assert.ok(waited < 10_000)
    await sleep(10)
  }
}

export const inUse = {
  name: 'SettingsError',
  message: /DRIVE is file:.*gateway of that database is running.*DATABASE_URL/,
}
