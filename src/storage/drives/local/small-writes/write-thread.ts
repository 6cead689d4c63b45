import fs from 'node:fs'
import { basename, dirname } from 'node:path'
import { answerCalls } from '../../../../platform/process/call-thread.ts'
import { stopwatch } from '../../../../platform/process/time-limit.ts'
import type { Versioning } from '../../versions.ts'
import { folderMark } from '../folders/folder-sync.ts'
import { syncFolderNow } from '../folders/open-folder.ts'
import { codeOf } from '../fs-error.ts'
import {
  describe,
  type FileIdentity,
  type FileStamp,
  goneIdentity,
  isOneFile,
  isSameFile,
} from '../objects/file-identity.ts'
import { moveMark } from '../objects/folder-locks.ts'
import { certainMs } from '../objects/key-locks.ts'
import { createFlags, folderOpenFlags, writeFullyNow } from '../objects/paced-files.ts'
import { largeBytes } from '../objects/put-file.ts'
import { archivedSimply, isNullTime } from '../versions/counted-versions.ts'
import { smallFolderBytes, timeText } from '../versions/version-names.ts'

/** A sync that takes longer is the last one of its call. The thread pool does the others, at the same time. */
const slowSyncMs = 1

/** Writes a complete temporary file, with its final modification time. */
export interface SealJob {
  readonly kind: 'seal'
  /** Where to create the file. It must not exist. */
  readonly path: string
  readonly bytes: Uint8Array
  /** Milliseconds since the epoch, with a fraction; see `uniqueTimeMs`. */
  readonly modifiedAtMs: number
}

/** Moves a sealed file to the natural path of its object, under the key's lock. */
export interface PublishJob {
  readonly kind: 'publish'
  /** The sealed file. */
  readonly path: string
  /** The absolute path of the natural path's folder. */
  readonly folder: string
  readonly name: string
  /** The absolute alternative path. */
  readonly alternative: string
  /** Absent if the bucket never had versions. */
  readonly history: HistoryJob | undefined
  /** The file that names this process, and the path to link it to (key-locks.ts). */
  readonly lock: { readonly holder: string; readonly path: string }
}

/** Keeps the version that is replaced. Only where the file system orders names (`LocalRoot.ordersNames`). */
export interface HistoryJob {
  /** The absolute path of the folder of the former versions. If it is missing, it is created. */
  readonly folder: string
  /** A path in the fence, for another name of the replaced file, or for the folder. */
  readonly token: string
  readonly versioning: Versioning
  /** The text of the new version's time. */
  readonly time: string
}

export type WriteJob = SealJob | PublishJob

export interface SealOutcome {
  readonly stamp: FileStamp
  /** The open file if it was not synced: the caller must sync and close it. */
  readonly fd: number | undefined
}

export interface MovedFile {
  /** The overwritten file, if it has no other name. */
  readonly gone: FileIdentity | undefined
  /** The mark of the folder (`folderMark`), if it was synced after the move. */
  readonly synced: string | undefined
  /**
   * The code of the error if the folder could not be synced. The sync must not be repeated, because the system may report
   * the error only once (fsync(2), "NOTES").
   */
  readonly syncError: string | undefined
}

export interface PublishOutcome {
  /** Undefined if nothing was moved. */
  readonly moved: MovedFile | undefined
  /** Whether the lock could not be released. */
  readonly isLocked: boolean
}

/**
 * The result of a job. If a file was not sealed or moved for any reason, nothing is left behind. The caller then writes it
 * step by step, which reports the error.
 */
export type WriteOutcome = SealOutcome | PublishOutcome | undefined

export interface WriteJobs {
  readonly jobs: readonly WriteJob[]
  /** Whether to sync files and folders, one after the other, while that is fast. */
  readonly syncs: boolean
  /** See `LocalRoot`. */
  readonly hasBirthtime: boolean
  readonly descriptors: string
}

export interface WriteOutcomes {
  /** In the order of the jobs. */
  readonly outcomes: readonly WriteOutcome[]
  /** The average time of a sync; undefined if there was none. */
  readonly syncMs: number | undefined
}

/** Runs the jobs with synchronous calls, for a thread. */
export function runWriteJobs({ jobs, ...drive }: WriteJobs): WriteOutcomes {
  const run = new WriteRun(drive)
  try {
    const finishes = jobs.map((job) => (job.kind === 'seal' ? run.write(job) : run.move(job)))
    const outcomes = finishes.map((finish) => finish())
    return { outcomes, syncMs: run.syncMs }
  } finally {
    run.close()
  }
}

interface RunFolder {
  readonly fd: number
  readonly mark: string
  /** Whether all moves into it are durable. */
  isSynced: boolean
  syncError: string | undefined
}

/** Syncs what a job has done, and returns its outcome. */
type Finish = () => WriteOutcome

class WriteRun {
  #syncCount = 0
  #syncsMs = 0
  #doesSync: boolean
  readonly #drive: Omit<WriteJobs, 'jobs'>
  readonly #folders = new Map<string, RunFolder | undefined>()

  constructor(drive: Omit<WriteJobs, 'jobs'>) {
    this.#drive = drive
    this.#doesSync = drive.syncs
  }

  get syncMs(): number | undefined {
    return this.#syncCount === 0 ? undefined : this.#syncsMs / this.#syncCount
  }

  write({ path, bytes, modifiedAtMs }: SealJob): Finish {
    const fd = attempt(() => fs.openSync(path, createFlags, 0o666))
    if (fd === undefined) return () => undefined
    const stamp = attempt(() => {
      writeFullyNow(fd, bytes, 0)
      fs.futimesSync(fd, modifiedAtMs / 1000, modifiedAtMs / 1000)
      return describe(fs.fstatSync(fd), this.#drive)
    })
    return () => {
      if (stamp !== undefined && !this.#doesSync) return { stamp, fd }
      const isDurable = stamp !== undefined && isDone(() => this.#sync(() => fs.fsyncSync(fd)))
      isDone(() => fs.closeSync(fd))
      if (isDurable) return { stamp, fd: undefined }
      isDone(() => fs.unlinkSync(path))
      return undefined
    }
  }

  move(job: PublishJob): Finish {
    const { holder, path: lockPath } = job.lock
    const folder = this.#open(job.folder)
    // Started before the call, whose reply may arrive late.
    const heldMs = stopwatch()
    if (folder === undefined || !isDone(() => fs.linkSync(holder, lockPath))) {
      return () => ({ moved: undefined, isLocked: false })
    }
    // Step by step, the object waits until the folder has been moved.
    const isMoving = exists(`${dirname(lockPath)}/${moveMark}`)
    const moved = isMoving ? undefined : attempt(() => this.#moveInto(folder, job))
    // A thread that was suspended may have lost the lock to another process.
    const isCertain = heldMs() < certainMs
    const isLocked = !isCertain || !isDone(() => fs.unlinkSync(lockPath))
    return () => {
      if (moved === undefined) return { moved, isLocked }
      if (this.#doesSync) this.#syncFolder(folder)
      const synced = folder.isSynced ? folder.mark : undefined
      return { moved: { ...moved, synced, syncError: folder.syncError }, isLocked }
    }
  }

  close(): void {
    for (const folder of this.#folders.values()) {
      if (folder !== undefined) isDone(() => fs.closeSync(folder.fd))
    }
  }

  /** Undefined, with nothing moved, if the key needs more than a rename. */
  #moveInto(folder: RunFolder, job: PublishJob): Pick<MovedFile, 'gone'> | undefined {
    const open = this.#ifStillThere(folder, job.folder)
    if (open === undefined) return undefined
    const target = `${open}/${job.name}`
    const present = look(target)
    // Replacing a large file takes long, and the other jobs would wait.
    if (present !== undefined && (!present.isFile() || present.size >= largeBytes)) return undefined
    if (exists(job.alternative)) return undefined
    const { history } = job
    if (history !== undefined) {
      const isKept =
        present === undefined ? !exists(history.folder) : this.#keep(history, target, present)
      if (!isKept) return undefined
    }
    fs.renameSync(job.path, target)
    folder.isSynced = false
    const isGone = present !== undefined && history === undefined
    return { gone: isGone ? goneIdentity(present, this.#drive.hasBirthtime) : undefined }
  }

  /**
   * Stores the current version, as KeyHistory.keepCurrent. False if that takes more. What it may have stored then is the
   * current version itself, which does not count.
   */
  #keep(job: HistoryJob, target: string, present: fs.Stats): boolean {
    const { token, folder: path, versioning } = job
    const opened = this.#open(path)
    const place = opened ? path : dirname(path)
    const folder = opened ?? this.#open(place)
    const open = folder && this.#ifStillThere(folder, place)
    if (open === undefined) return false
    const time = timeText(describe(present, this.#drive).modifiedAtMs)
    const current = {
      ...{ time, isNull: isNullTime(versioning, time) },
      isSameFile: ({ name }: { name: string }) => isOneFile(look(`${open}/${name}`), present),
    }
    // A long history would keep the other jobs waiting.
    if (opened && fs.fstatSync(opened.fd).size > smallFolderBytes) return false
    const names = opened ? fs.readdirSync(open) : []
    const version = archivedSimply(current, names, versioning, job.time)
    if (version === undefined) return false
    // A new folder is moved with the version in it.
    const link = opened ? token : `${token}/${version.name}`
    try {
      if (!opened) fs.mkdirSync(token)
      fs.linkSync(target, link)
      const isSame = isSameFile(fs.lstatSync(link), present, this.#drive.hasBirthtime)
      if (!isSame) throw new Error('changed')
      fs.renameSync(token, `${open}/${opened ? version.name : basename(path)}`)
    } catch (error) {
      isDone(() => fs.rmSync(token, { recursive: true }))
      throw error
    }
    if (!opened) this.#folders.delete(path)
    return true
  }

  /** The path by which to use an open folder. It must not have been moved or removed since (folders/open-folder.ts). */
  #ifStillThere({ fd }: RunFolder, path: string): string | undefined {
    const open = `${this.#drive.descriptors}${fd}`
    return fs.readlinkSync(open) === path ? open : undefined
  }

  #open(path: string): RunFolder | undefined {
    if (this.#folders.has(path)) return this.#folders.get(path)
    const fd = attempt(() => fs.openSync(path, folderOpenFlags))
    const stats = fd === undefined ? undefined : attempt(() => fs.fstatSync(fd))
    const folder =
      fd === undefined || stats === undefined
        ? undefined
        : {
            fd,
            mark: folderMark(path, stats, this.#drive.hasBirthtime),
            isSynced: false,
            syncError: undefined,
          }
    this.#folders.set(path, folder)
    return folder
  }

  #syncFolder(folder: RunFolder): void {
    if (folder.isSynced || folder.syncError !== undefined) return
    try {
      this.#sync(() => syncFolderNow(folder.fd))
      folder.isSynced = true
    } catch (error) {
      folder.syncError = codeOf(error)
    }
  }

  #sync(call: () => void): void {
    const start = performance.now()
    try {
      call()
    } finally {
      const syncMs = performance.now() - start
      this.#syncsMs += syncMs
      this.#syncCount += 1
      if (syncMs > slowSyncMs) this.#doesSync = false
    }
  }
}

function exists(path: string): boolean {
  return look(path) !== undefined
}

function look(path: string): fs.Stats | undefined {
  return fs.lstatSync(path, { throwIfNoEntry: false })
}

/** The call's result; undefined when it failed. */
function attempt<T>(call: () => T): T | undefined {
  try {
    return call()
  } catch {
    return undefined
  }
}

function isDone(call: () => void): boolean {
  const succeeded = attempt(() => {
    call()
    return true
  })
  return succeeded === true
}

answerCalls<WriteJobs, WriteOutcomes>((jobs) => ({ result: runWriteJobs(jobs), transfer: [] }))
