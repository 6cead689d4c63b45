import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { livenessOf, thisProcess } from '../../platform/process/identity.ts'
import type { Log } from '../../platform/process/log.ts'
import { type Repetition, repeat } from '../../platform/process/repeat.ts'
import { SettingsError } from '../../platform/process/setting-mistake.ts'
import type { DriveNotes } from '../../storage/drives/drive-notes.ts'
import {
  type AliveNote,
  type DriveLocations,
  type DriveTable,
  noteText,
  type OwnerNote,
  parseAliveNote,
  parseOwnerNote,
} from './known-drives.ts'

/** Missed heartbeats after which an owner counts as gone: an owner on this machine, and one elsewhere. */
const missedWhenDead = 2
const missedElsewhere = 5
/** How often to check for a heartbeat of another owner. Short, because an owner also sends one on request. */
const lookMs = 500
const defaultWriteWindowMs = 2_000

export interface DriveOwnerOptions {
  /** The setting of its location, for messages. @default DRIVE */
  readonly setting?: string
  /** The drives that this process has claimed: their settings, by their ids. */
  readonly claimed?: Map<string, string>
  readonly table: Pick<DriveTable, 'databaseId' | 'driveAt' | 'remember'>
  /** Where the drive is, without a password: the keys of its rows in the database. */
  readonly locations: DriveLocations
  /** For people: where the database is, without a password. */
  readonly database: string
  /** Interval between heartbeats. */
  readonly beatMs: number
  /** How often to check whether another gateway asks for a heartbeat. Matters only if `beatMs` is longer. */
  readonly answerMs: number
  /** The longest interval of any kind of drive: one folder may be served both as a folder and over WebDAV. */
  readonly longestBeatMs: number
  /** How long another process may need between reading a note and writing it. @default 2,000 */
  readonly writeWindowMs?: number
  readonly log: Log
  /** Called once when the drive turns out to belong to another database, or to be another drive. */
  readonly onLost: (message: string) => void
}

/**
 * Keeps a drive for one database: two databases on one drive would delete each other's uploads and
 * give the same file two ETags (docs/decisions/0018-drive-owner.md).
 */
export class DriveOwner {
  readonly #options: DriveOwnerOptions
  readonly #writeWindowMs: number
  #beating: Repetition | undefined
  #beatAtMs = Number.NEGATIVE_INFINITY
  #isFailing = false

  constructor(options: DriveOwnerOptions) {
    this.#options = options
    this.#writeWindowMs = options.writeWindowMs ?? defaultWriteWindowMs
  }

  /**
   * For the primary process: claims the drive for this database and starts the heartbeat.
   *
   * @throws SettingsError when the drive belongs to another database or is missing.
   */
  async claim(notes: DriveNotes): Promise<void> {
    const own = await this.#ownNote(randomUUID())
    for (;;) {
      const text = await notes.read('owner')
      if (text === undefined) {
        await this.#makeDrive(notes, own)
        continue
      }
      const found = parseOwnerNote(text)
      if (found?.databaseId !== own.databaseId) await this.#takeOver(notes, text, own)
      else if (await this.#isSettled(notes, text, own)) return await this.#begin(notes, found)
    }
  }

  /**
   * For a worker process, which may start at any time.
   *
   * @throws SettingsError when the drive is not the one that its primary has claimed.
   */
  async verify(notes: DriveNotes): Promise<void> {
    const { databaseId } = await this.#ownNote('')
    const found = parseOwnerNote((await notes.read('owner')) ?? '')
    if (found?.databaseId === databaseId) return
    throw this.#mistake('is not the drive of this database: check that it is mounted')
  }

  /**
   * Like `verify`, but also checks again at every heartbeat: for a worker whose primary keeps running
   * when it loses the drive.
   */
  async watch(notes: DriveNotes): Promise<void> {
    await this.verify(notes)
    const { databaseId } = await this.#ownNote('')
    const look = async () => {
      const found = parseOwnerNote((await notes.read('owner')) ?? '')
      if (found !== undefined && found.databaseId !== databaseId) this.#lose(found)
    }
    // If the note can't be read, neither can the objects.
    const { beatMs: everyMs } = this.#options
    this.#beating = repeat(look, { everyMs, onError: () => undefined })
  }

  /** Ends the heartbeat. */
  async close(): Promise<void> {
    const { claimed } = this.#options
    for (const [id, setting] of claimed ?? []) if (setting === this.#setting) claimed?.delete(id)
    await this.#beating?.stop()
  }

  get #setting(): string {
    return this.#options.setting ?? 'DRIVE'
  }

  /** @throws SettingsError when another setting leads to the same drive. */
  #requireAlone(driveId: string): void {
    const { claimed } = this.#options
    const other = claimed?.get(driveId) ?? this.#setting
    if (other !== this.#setting) throw this.#mistake(`is the same drive as ${other}`)
    claimed?.set(driveId, this.#setting)
  }

  async #ownNote(newDriveId: string): Promise<OwnerNote> {
    const databaseId = await this.#options.table.databaseId(randomUUID())
    return { driveId: newDriveId, databaseId, database: this.#options.database }
  }

  /** False if another gateway that created the drive at the same time has replaced this note. */
  async #isSettled(notes: DriveNotes, text: string, own: OwnerNote): Promise<boolean> {
    const driveId = parseOwnerNote(text)?.driveId
    // If `create` wrote this gateway's note, it has already waited.
    if (notes.settleMs === 0 || driveId === own.driveId) return true
    if ((await this.#knownDrive()) === driveId) return true
    await sleep(notes.settleMs)
    return (await notes.read('owner')) === text
  }

  async #makeDrive(notes: DriveNotes, own: OwnerNote): Promise<void> {
    if ((await this.#knownDrive()) !== undefined) {
      // Another gateway of this database may have created the note in the meantime.
      if ((await notes.read('owner')) !== undefined) return
      throw this.#mistake(
        'has no owner note, but the database in DATABASE_URL used a drive there. If it is not ' +
          'mounted, mount it. If it was emptied on purpose, set DATABASE_URL to a new database, ' +
          'or create an empty file .bucketry/owner.json in it (not on Google Drive)',
      )
    }
    // A heartbeat without an owner note: someone removed the owner note of a drive that may be in use.
    if ((await notes.read('alive')) !== undefined) await this.#requireGone(notes, undefined, own)
    await notes.create('owner', noteText(own))
  }

  async #begin(notes: DriveNotes, { driveId }: OwnerNote): Promise<void> {
    const { table, locations, log } = this.#options
    this.#requireAlone(driveId)
    for (const location of locations) {
      if ((await table.driveAt(location)) !== driveId) await table.remember(location, driveId)
    }
    const own = await this.#ownNote(driveId)
    this.#beating = repeat(
      async () => {
        if (!this.#isDue && !(await this.#isAsked(notes, own))) return
        await this.#beat(notes, own)
        this.#beatAtMs = performance.now()
        if (this.#isFailing) log.info({ driveId }, 'the owner note can be written again')
        this.#isFailing = false
      },
      { everyMs: this.#lookEveryMs, onError: (error) => this.#reportFailure(error) },
    )
  }

  get #lookEveryMs(): number {
    return Math.min(this.#options.answerMs, this.#options.beatMs)
  }

  /** Whether this check is the one closest to the time of the next heartbeat. */
  get #isDue(): boolean {
    const agoMs = performance.now() - this.#beatAtMs
    return agoMs + this.#lookEveryMs / 2 > this.#options.beatMs
  }

  async #isAsked(notes: DriveNotes, own: OwnerNote): Promise<boolean> {
    const askedBy = parseAliveNote(await notes.read('alive'))?.askedBy
    return askedBy !== undefined && askedBy !== own.databaseId
  }

  /** Reads before it writes: a process that was suspended must not claim that its database is alive. */
  async #beat(notes: DriveNotes, own: OwnerNote): Promise<void> {
    const text = await notes.read('owner')
    const found = parseOwnerNote(text ?? '')
    const isOwn = found?.databaseId === own.databaseId && found.driveId === own.driveId
    if (found !== undefined && !isOwn) return this.#lose(found)
    // The owner note may have been deleted by hand. If the drive's own folder is gone, this fails.
    if (found === undefined) await notes.write('owner', noteText(own))
    const alive = { databaseId: own.databaseId, process: thisProcess, host: hostname() }
    const { beatMs } = this.#options
    await notes.write('alive', noteText({ ...alive, beat: randomUUID(), beatMs }))
  }

  #lose(found: OwnerNote): void {
    void this.#beating?.stop()
    this.#options.onLost(
      `The drive now belongs to another database (${found.database}). ` +
        'This process was suspended or the drive was unavailable: another gateway took it over.',
    )
  }

  #reportFailure(error: unknown): void {
    if (!this.#isFailing) this.#options.log.error({ err: error }, 'could not write the owner note')
    this.#isFailing = true
  }

  /** Takes over a drive whose owner is not running or is unknown (an empty or damaged note). */
  async #takeOver(notes: DriveNotes, text: string, own: OwnerNote): Promise<void> {
    const found = parseOwnerNote(text)
    // Another process may be writing the note at this moment.
    if (found === undefined && !(await this.#isStill(notes, text))) return
    const known = await this.#knownDrive()
    if (found !== undefined && known !== undefined && known !== found.driveId) {
      throw this.#mistake(
        `is not the drive that DATABASE_URL has used there: it belongs to ${found.database}. ` +
          'Mount the right one, or set DATABASE_URL to that database',
      )
    }
    await this.#requireGone(notes, found, own)
    if ((await notes.read('owner')) !== text) return
    // A different id would end the running gateways of this database.
    const driveId = found?.driveId || known || own.driveId
    await notes.write('owner', noteText({ ...own, driveId }))
    if (text !== '') {
      this.#options.log.warn(
        { formerDatabase: found?.database ?? 'unknown' },
        'took over the drive from another database, which is no longer in use: ' +
          'open uploads of that database are kept until they expire',
      )
    }
    // Other gateways may have taken over the drive at the same moment: the last one keeps it.
    await sleep(this.#writeWindowMs)
  }

  async #isStill(notes: DriveNotes, text: string): Promise<boolean> {
    await sleep(this.#writeWindowMs)
    return (await notes.read('owner')) === text
  }

  /**
   * Watches the heartbeat of another database's gateway. Does not compare the clocks of machines or
   * drives.
   *
   * @param found undefined when the owner note is lost: the heartbeat shows whether there is an
   *   owner
   * @throws SettingsError when that gateway is alive
   */
  async #requireGone(
    notes: DriveNotes,
    found: OwnerNote | undefined,
    own: OwnerNote,
  ): Promise<void> {
    const { log } = this.#options
    const first = await notes.read('alive')
    const alive = parseAliveNote(first)
    const ownerId = found?.databaseId ?? alive?.databaseId
    if (ownerId === own.databaseId) return
    const isOwners = alive !== undefined && alive.databaseId === ownerId
    const liveness = isOwners ? livenessOf(alive.process) : 'elsewhere'
    if (liveness === 'alive') throw this.#inUse(found, alive?.host)
    // If both notes are missing, a running gateway restores them at its next heartbeat.
    const isShort = liveness === 'dead' || (found === undefined && first === undefined)
    const waitMs = this.#longerBeatMs(alive) * (isShort ? missedWhenDead : missedElsewhere)
    const fields = { otherDatabase: found?.database ?? 'unknown', waitMs }
    log.warn(fields, 'the drive may belong to another database: checking whether a gateway uses it')
    const question = alive && noteText({ ...alive, beat: randomUUID(), askedBy: own.databaseId })
    // Without a valid note, there may be no gateway to ask.
    if (question !== undefined) await notes.write('alive', question)
    const answer = await this.#nextHeartbeat(notes, question, question ?? first, waitMs)
    // Another gateway of this database has taken over the drive in the meantime.
    if (answer?.databaseId === own.databaseId) return
    if (answer !== undefined) throw this.#inUse(found, answer.host)
  }

  /** Waits for a heartbeat of an owner; undefined after `waitMs`. @param before the current text of the note */
  async #nextHeartbeat(
    notes: DriveNotes,
    question: string | undefined,
    before: string | undefined,
    waitMs: number,
  ): Promise<Partial<Pick<AliveNote, 'databaseId' | 'host'>> | undefined> {
    const startedAt = performance.now()
    while (performance.now() - startedAt < waitMs) {
      await sleep(Math.min(lookMs, this.#lookEveryMs / 4))
      const text = await notes.read('alive')
      if (text === before || !isHeartbeat(text, question)) continue
      return parseAliveNote(text) ?? {}
    }
    return undefined
  }

  /** The owner's interval between heartbeats or this gateway's, whichever is longer. */
  #longerBeatMs(alive: AliveNote | undefined): number {
    const { beatMs, longestBeatMs } = this.#options
    const others = typeof alive?.beatMs === 'number' ? alive.beatMs : longestBeatMs
    // A damaged note must not make this gateway wait for years.
    return Math.min(Math.max(beatMs, others), longestBeatMs)
  }

  /** The id of the drive that this database has used there. */
  async #knownDrive(): Promise<string | undefined> {
    const { table, locations } = this.#options
    for (const location of locations) {
      const known = await table.driveAt(location)
      if (known !== undefined) return known
    }
    return undefined
  }

  #inUse(found: OwnerNote | undefined, host: string | undefined): SettingsError {
    const whose = found === undefined ? '' : ` (${found.database})`
    const where = host === undefined ? '' : ` on ${host}`
    return this.#mistake(
      `belongs to another database${whose}, and a gateway of that database is running${where}; ` +
        `DATABASE_URL is ${this.#options.database}. Set DATABASE_URL to the same database in both, ` +
        `or set ${this.#setting} to another folder`,
    )
  }

  #mistake(text: string): SettingsError {
    return new SettingsError([`${this.#setting} is ${this.#options.locations.at(-1)}: it ${text}`])
  }
}

/** Pure: whether an owner has written this note after the question. */
function isHeartbeat(text: string | undefined, question: string | undefined): boolean {
  const shown = parseAliveNote(text)
  // An incomplete note is still being written, perhaps with a question from another gateway. The next check reads it.
  if (shown === undefined) return question === undefined
  return shown.askedBy === undefined
}
