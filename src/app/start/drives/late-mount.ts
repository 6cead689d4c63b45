import { setTimeout as sleep } from 'node:timers/promises'
import { SettingsError } from '../../../platform/process/setting-mistake.ts'
import { withinTime } from '../../../platform/process/time-limit.ts'
import type { Database } from '../../../platform/state/database.ts'
import type { BucketVersioning } from '../../../storage/buckets/bucket-versioning.ts'
import type { Drive } from '../../../storage/drives/drive.ts'
import { DriveError } from '../../../storage/drives/drive-error.ts'
import { type Mount, unavailableDrive } from '../../../storage/drives/route/mount.ts'
import { openOwner, type ServiceRole } from '../../fleet/open-owner.ts'
import { kindOf } from '../../settings/drive-kinds.ts'
import { type DriveSettings, nameOfDrive } from '../../settings/own-drives.ts'
import type { Settings } from '../../settings/read-settings.ts'
import type { Log } from '../../telemetry/log.ts'
import { openDrive } from './open-drive.ts'

/** Maximum time that a start waits for the first attempt. */
const startWaitMs = 5_000
const firstPauseMs = 1_000
const longestPauseMs = 60_000

export interface LateMountParts {
  readonly settings: Settings
  readonly own: DriveSettings
  readonly claimed: Map<string, string>
  readonly log: Log
  readonly database: Database
  readonly role: ServiceRole
  readonly versioning: BucketVersioning | undefined
  readonly now: () => number
  readonly watch: (drive: Drive, name: string) => Drive
  /** Pause before the second attempt, milliseconds; later pauses are longer. */
  readonly firstPauseMs?: number
}

/**
 * A named drive that is opened in the background. Attempts repeat until one succeeds, and again after the
 * drive is lost to another gateway. While the drive is not open, its calls reject with the reason.
 */
export class LateMount implements Mount {
  readonly name: string
  readonly isReadOnly: boolean
  drive: Drive
  problem: string | undefined = 'It is being opened.'
  readonly #parts: LateMountParts
  readonly #closing = new AbortController()
  /** Ends the use of the drive, whether it is open or being opened. */
  #end: () => void = () => undefined
  #running: Promise<void> | undefined
  #isFailing = false

  constructor(parts: LateMountParts) {
    const { own } = parts
    this.#parts = parts
    this.name = own.name
    this.isReadOnly = own.isReadOnly
    this.drive = this.#unavailable()
  }

  /** Begins to open the drive. Resolves after the first attempt, or after some seconds. */
  async start(): Promise<void> {
    this.#running ??= this.#run()
    await withinTime(this.#attempted.promise, startWaitMs).catch(() => undefined)
  }

  async close(): Promise<void> {
    this.#closing.abort()
    this.#end()
    await this.#running
  }

  readonly #attempted = Promise.withResolvers<void>()

  /** One attempt at a time: the next begins when everything that the last one opened is closed. Never rejects. */
  async #run(): Promise<void> {
    const { signal } = this.#closing
    const firstMs = this.#parts.firstPauseMs ?? firstPauseMs
    let pauseMs = firstMs
    while (!signal.aborted) {
      if (await this.#keepOpen()) {
        pauseMs = firstMs
        continue
      }
      await sleep(pauseMs, undefined, { signal, ref: false }).catch(() => undefined)
      pauseMs = Math.min(longestPauseMs, pauseMs * 2)
    }
  }

  /** Opens the drive and keeps it open until it is lost or this mount is closed. False if it could not be opened. */
  async #keepOpen(): Promise<boolean> {
    const { own, log, role } = this.#parts
    const ended = Promise.withResolvers<void>()
    this.#end = ended.resolve
    const closers: (() => Promise<void>)[] = []
    let isLost = false
    // The drive may be lost even before it is open. It must not be served after that.
    const onDriveLost = (message: string) => {
      isLost = true
      this.#fail(new DriveError('unavailable', message))
      ended.resolve()
    }
    try {
      const owner = await openOwner(this.#parts, { kind: role.kind, onDriveLost })
      closers.push(owner.close)
      const claim = own.isReadOnly ? async () => undefined : owner.claim
      const opened = await openDrive({ ...this.#parts, claim })
      closers.push(() => opened.close())
      if (!isLost) this.#serve(opened.drive)
      this.#attempted.resolve()
      await ended.promise
      return true
    } catch (error) {
      this.#fail(error)
      return false
    } finally {
      this.#attempted.resolve()
      for (const close of closers) {
        // Closing the files of a disk that is gone fails.
        const warn = (err: unknown) =>
          log.warn({ err, drive: own.name }, 'could not close the drive')
        await close().catch(warn)
      }
    }
  }

  #serve(drive: Drive): void {
    const { log, watch } = this.#parts
    this.drive = watch(drive, this.name)
    this.problem = undefined
    if (this.#isFailing) log.info({ drive: this.name }, 'the drive is available')
    this.#isFailing = false
  }

  /** Logs the first failure only, until the drive is available again. */
  #fail(error: unknown): void {
    const { log } = this.#parts
    this.drive = this.#unavailable()
    const isForPeople = error instanceof DriveError || error instanceof SettingsError
    const text = isForPeople ? error.message : 'It could not be opened. See the service log.'
    const setting = nameOfDrive('drive', this.name)
    this.problem = text.startsWith(setting) ? text : `${setting}: ${text}`
    if (!this.#isFailing) {
      const outcome = 'the drive is not available: its buckets answer 503 until it is available'
      log.error({ err: error, drive: this.name }, outcome)
    }
    this.#isFailing = true
  }

  #unavailable(): Drive {
    const { own } = this.#parts
    const message = `The drive ${own.name} is not available.`
    const { kind, deletes } = kindOf(own.drive)
    return unavailableDrive({ kind, deletes: deletes(own), message })
  }
}
