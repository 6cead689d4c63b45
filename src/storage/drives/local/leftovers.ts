import type { FileHandle } from 'node:fs/promises'
import { hasEnded } from '../../../platform/process/ended-processes.ts'
import { livenessOf, type ProcessName, thisProcess } from '../../../platform/process/identity.ts'
import { fs } from './file-calls.ts'
import { type JournalNote, readJournals } from './folders/folder-journal.ts'
import { changedAtMs, entriesBelow, lastChangeMs, removeTree } from './folders/own-folders.ts'
import { unlessAbsent } from './fs-error.ts'
import type { LocalRoot } from './local-root.ts'
import { formerSuffix, isCompleteName } from './objects/fence.ts'
import { type FileIdentity, identityOf } from './objects/file-identity.ts'
import { readHolder } from './objects/holder-watch.ts'
import { readFlags } from './objects/paced-files.ts'

/** How long the mark of a removed bucket stays (bucket-folders.ts). No write to the bucket takes that long. */
const markLimitMs = 7 * 24 * 60 * 60 * 1000

/** The files of a process on another host count as abandoned if they have not changed for this time. */
const elsewhereLimitMs = 24 * 60 * 60 * 1000

/** The lock of a key, or its guard (key-locks.ts). */
const lockPattern = /^[0-9a-f]{32}(\.steal)*$/

interface Sweep {
  readonly root: LocalRoot
  readonly nowMs: number
  /** Removes empty folders that a dead process has left for a key. */
  tidyFolders(note: JournalNote): Promise<void>
  /** Called with a file that was removed and can't be published any more. */
  forget(identity: FileIdentity): void
}

/**
 * Removes the files of dead processes (docs/paths/publishing-a-file.md), and never those of a living one. Entries with names
 * of other forms stay.
 */
export async function sweepLeftovers(sweep: Sweep): Promise<void> {
  const { root, nowMs } = sweep
  const tempFolder = root.folders.at('tmp')
  for (const name of await fs.promises.readdir(tempFolder)) {
    const process = decoded(name.replace(formerSuffix, ''))
    if (!isCompleteName(process)) continue
    const path = `${tempFolder}/${name}`
    // A takeover has moved it away (fence.ts): the process can't use it any more, even if it is running.
    const isFormer = formerSuffix.test(name)
    if (!isFormer && !(await isAbandoned(root, path, process, nowMs))) continue
    for (const note of await readJournals(root, path)) await sweep.tidyFolders(note)
    await removeDrafts(path, sweep)
    await removeTree(root, path)
  }
  await sweepLocks(root, nowMs)
  const removedFolder = root.folders.at('removed')
  for (const name of await fs.promises.readdir(removedFolder)) {
    const path = `${removedFolder}/${name}`
    if (encodeURIComponent(decoded(name)) !== name) continue
    if (await isOlder(path, nowMs - markLimitMs)) await removeTree(root, path)
  }
}

async function sweepLocks(root: LocalRoot, nowMs: number): Promise<void> {
  const lockFolder = root.folders.at('locks')
  for (const name of await fs.promises.readdir(lockFolder)) {
    const path = `${lockFolder}/${name}`
    if (!lockPattern.test(name)) continue
    // The lock of a dead process delays nobody, because it is taken over (key-locks.ts). It is removed only if it is so
    // old that no process can be taking it over at this moment.
    if (await isOlder(path, nowMs - elsewhereLimitMs)) await removeDeadLock(path)
  }
}

/** Also forgets the records of the drafts, which are stored before a draft is published. */
async function removeDrafts(folder: string, { root, forget }: Sweep): Promise<void> {
  // Including those in a fence, whose removal was interrupted.
  for await (const { path } of entriesBelow(root, folder)) {
    const draft = await openDraft(path)
    if (draft === undefined) continue
    try {
      await unlessAbsent(() => fs.promises.unlink(path))
      const stats = await draft.stat()
      // A process that was only suspended may have published it at this moment.
      if (stats.nlink === 0) forget(identityOf(stats, root.hasBirthtime))
    } finally {
      await draft.close()
    }
  }
}

/** Undefined for anything but a file that can be opened. It is removed with its folder. */
async function openDraft(path: string): Promise<FileHandle | undefined> {
  const stats = await unlessAbsent(() => fs.promises.lstat(path))
  if (stats?.isFile() !== true) return undefined
  return await unlessAbsent(() => fs.promises.open(path, readFlags))
}

/** The empty string for a name that is not percent-encoded. */
function decoded(name: string): string {
  try {
    return decodeURIComponent(name)
  } catch {
    return ''
  }
}

async function isAbandoned(
  root: LocalRoot,
  path: string,
  process: ProcessName,
  nowMs: number,
): Promise<boolean> {
  if (process === thisProcess) return false
  const liveness = livenessOf(process)
  if (liveness !== 'elsewhere') return liveness === 'dead'
  if (hasEnded(process)) return true
  const changedMs = await lastChangeMs(root, path)
  return changedMs !== undefined && changedMs < nowMs - elsewhereLimitMs
}

async function isOlder(path: string, thanMs: number): Promise<boolean> {
  const stats = await fs.promises.lstat(path).catch(() => undefined)
  return stats !== undefined && changedAtMs(stats) < thanMs
}

async function removeDeadLock(path: string): Promise<void> {
  const holder = await readHolder(path)
  if (holder === undefined || livenessOf(holder) === 'alive') return
  await unlessAbsent(() => fs.promises.unlink(path))
}
