import fs from 'node:fs'
import { basename, dirname } from 'node:path'
import { answerCalls } from '../../../../platform/process/call-thread.ts'
import { stopwatch } from '../../../../platform/process/time-limit.ts'
import { folderMark } from '../folders/folder-sync.ts'
import { syncFolderNow } from '../folders/open-folder.ts'
import { codeOf } from '../fs-error.ts'
import {
  describe,
  goneIdentity,
  isOneFile,
  isSameFile,
  lastingPart,
} from '../objects/file-identity.ts'
import { moveMark } from '../objects/folder-locks.ts'
import { certainMs } from '../objects/key-locks.ts'
import { createFlags, folderOpenFlags, writeFullyNow } from '../objects/paced-files.ts'
import { largeBytes } from '../objects/put-file.ts'
import { keepReplacedNow } from '../relaxed/unsynced-note.ts'
import { archivedSimply, isNullTime } from '../versions/counted-versions.ts'
import { smallFolderBytes, timeText } from '../versions/version-names.ts'
import { saveRecords } from './new-records-table.ts'
import { type PackedCall, type PackedOutcomes, packOutcomes, unpackJobs } from './packed-jobs.ts'
import type {
  HistoryJob,
  MovedFile,
  PublishJob,
  PublishOutcome,
  SealJob,
  SealOutcome,
  WriteJob,
  WriteJobs,
  WriteOutcome,
  WriteOutcomes,
} from './write-jobs.ts'

/**
 * After some syncs that take longer, the thread pool does the others of a call, at the same time. A single one says nothing
 * about the disk: the thread may have lost its core meanwhile.
 */
const slowSyncMs = 1
const mostSlowSyncs = 2

/** Runs the jobs with synchronous calls, for a thread. */
export function runWriteJobs({ jobs, ...drive }: WriteJobs): WriteOutcomes {
  const run = new WriteRun(drive)
  try {
    const begun = jobs.map((job) => run.begin(job))
    const written = begun.map((finish) => finish())
    const published = run.publish(jobs, written)
    const outcomes = published.map((finish) => finish())
    return { outcomes, syncMs: run.syncMs }
  } finally {
    run.close()
  }
}

interface RunFolder {
  readonly fd: number
  readonly mark: string
  /** Whether it was at its path once all locks were held. Undefined before that. */
  isThere: boolean | undefined
  /** Whether all moves into it are durable. */
  isSynced: boolean
  syncError: string | undefined
}

/** Syncs what a job has done, and returns its outcome. */
type Finish = () => WriteOutcome

type Move = Omit<PublishJob, 'kind'>

/** A job whose file is written. */
interface WrittenJob {
  /** As far as it is known. */
  readonly outcome: WriteOutcome
  /** Undefined if the file stays where it is. */
  readonly move: Move | undefined
}

class WriteRun {
  readonly #syncTimes: number[] = []
  #doesSync: boolean
  readonly #drive: Omit<WriteJobs, 'jobs'>
  readonly #folders = new Map<string, RunFolder | undefined>()
  /** Whether a mark of a move existed once all locks were held, by the path of the mark. */
  readonly #marks = new Map<string, boolean>()

  constructor(drive: Omit<WriteJobs, 'jobs'>) {
    this.#drive = drive
    this.#doesSync = drive.syncs
  }

  get syncMs(): number | undefined {
    const times = this.#syncTimes.sort((one, other) => one - other)
    return times[times.length >> 1]
  }

  begin(job: WriteJob): Finish {
    if (job.kind === 'publish') return () => undefined
    // The record would be saved twice: the second time with the folders that are created.
    const isLost = job.kind === 'store' && this.#open(job.folder) === undefined
    return isLost ? () => undefined : this.#write(job)
  }

  #write({ path, bytes, modifiedAtMs, isRelaxed }: Omit<SealJob, 'kind'>): Finish {
    const fd = attempt(() => fs.openSync(path, createFlags, 0o666))
    if (fd === undefined) return () => undefined
    const stamp = attempt(() => {
      writeFullyNow(fd, bytes, 0)
      fs.futimesSync(fd, modifiedAtMs / 1000, modifiedAtMs / 1000)
      return describe(fs.fstatSync(fd), this.#drive)
    })
    return () => {
      if (stamp !== undefined && !isRelaxed && !this.#doesSync) return { stamp, fd }
      const isSealed =
        stamp !== undefined && (isRelaxed || isDone(() => this.#sync(() => fs.fsyncSync(fd))))
      isDone(() => fs.closeSync(fd))
      if (isSealed) return { stamp, fd: undefined }
      isDone(() => fs.unlinkSync(path))
      return undefined
    }
  }

  /**
   * The rest of the jobs, whose files are written. Takes all locks before it looks at anything: then one look is enough for
   * what the jobs have in common.
   */
  publish(jobs: readonly WriteJob[], written: readonly WriteOutcome[]): Finish[] {
    const all = this.#record(jobs, written)
    const locked = all.map(({ move }) => move && this.#lock(move))
    return all.map(({ outcome, move }, index) => {
      if (move === undefined) return () => outcome
      const finish = this.#move(move, locked[index])
      return () => ({ ...outcome, ...finish() })
    })
  }

  /** Saves the records of the jobs `store`. */
  #record(jobs: readonly WriteJob[], written: readonly WriteOutcome[]): WrittenJob[] {
    const records = jobs.map((job, index) => {
      const sealed = written[index] as SealOutcome | undefined
      if (job.kind !== 'store' || sealed === undefined || sealed.fd !== undefined) return undefined
      return { record: { ...sealed.stamp, ...job.record }, isRelaxed: job.isRelaxed }
    })
    const recordedMs = saveRecords(this.#drive.records, records)
    return jobs.map((job, index) => {
      const outcome = written[index] as SealOutcome | undefined
      if (job.kind === 'publish') return { outcome, move: job }
      if (job.kind === 'seal' || outcome === undefined) return { outcome, move: undefined }
      const saved = { ...outcome, recordedMs: recordedMs[index], ...unmoved }
      if (saved.recordedMs === undefined) return { outcome: saved, move: undefined }
      const { identity, modifiedAtMs } = outcome.stamp
      const history = job.history && { ...job.history, time: timeText(modifiedAtMs) }
      const replaced = job.links && `${job.links}/${lastingPart(identity)}`
      return { outcome: saved, move: { ...job, history, replaced } }
    })
  }

  /** Returns how long the lock has been held; undefined if it is not. */
  #lock({ folder, lock }: Move): (() => number) | undefined {
    if (this.#open(folder) === undefined) return undefined
    // Started before the call, whose reply may arrive late.
    const heldMs = stopwatch()
    return isDone(() => fs.linkSync(lock.holder, lock.path)) ? heldMs : undefined
  }

  #move(job: Move, heldMs: (() => number) | undefined): () => PublishOutcome {
    const { path: lockPath } = job.lock
    const folder = this.#open(job.folder)
    if (folder === undefined || heldMs === undefined) return () => unmoved
    // Step by step, the object waits until the folder has been moved.
    const moved = attempt(() =>
      this.#isMarked(`${dirname(lockPath)}/${moveMark}`) ? undefined : this.#moveInto(folder, job),
    )
    // A thread that was suspended may have lost the lock to another process.
    const isCertain = heldMs() < certainMs
    const isLocked = !isCertain || !isDone(() => fs.unlinkSync(lockPath))
    return () => {
      if (moved === undefined) return { moved, isLocked }
      if (this.#doesSync && job.replaced === undefined) this.#syncFolder(folder)
      const synced = folder.isSynced ? folder.mark : undefined
      return { moved: { ...moved, synced, syncError: folder.syncError }, isLocked }
    }
  }

  #isMarked(path: string): boolean {
    const isMarked = this.#marks.get(path) ?? exists(path)
    this.#marks.set(path, isMarked)
    return isMarked
  }

  close(): void {
    for (const folder of this.#folders.values()) {
      if (folder !== undefined) isDone(() => fs.closeSync(folder.fd))
    }
  }

  /** Undefined, with nothing moved, if the key needs more than a rename. */
  #moveInto(folder: RunFolder, job: Move): Pick<MovedFile, 'gone'> | undefined {
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
    if (present !== undefined && job.replaced !== undefined) keepReplacedNow(target, job.replaced)
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
  #ifStillThere(folder: RunFolder, path: string): string | undefined {
    const open = `${this.#drive.descriptors}${folder.fd}`
    folder.isThere ??= fs.readlinkSync(open) === path
    return folder.isThere ? open : undefined
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
            isThere: undefined,
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
      this.#syncTimes.push(performance.now() - start)
      const slow = this.#syncTimes.filter((syncMs) => syncMs > slowSyncMs)
      if (slow.length >= mostSlowSyncs) this.#doesSync = false
    }
  }
}

const unmoved = { moved: undefined, isLocked: false }

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

answerCalls<PackedCall, PackedOutcomes>(({ jobs, ...drive }) => {
  const { outcomes, syncMs } = runWriteJobs({ ...drive, jobs: unpackJobs(jobs) })
  return { result: { ...packOutcomes(outcomes), syncMs }, transfer: [] }
})
