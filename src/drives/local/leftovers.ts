import fs from 'node:fs'
import { join } from 'node:path'
import { hasEnded } from '../../process/ended-processes.ts'
import { livenessOf, thisProcess } from '../../process/identity.ts'
import { type JournalNote, readJournals } from './folders/folder-journal.ts'
import { unlessAbsent } from './fs-error.ts'
import type { LocalRoot } from './local-root.ts'
import { type FileIdentity, identityOf } from './objects/file-identity.ts'
import { formerSuffix } from './objects/former-holder.ts'
import { readFlags } from './objects/paced-files.ts'

/** After this time, no write to a removed bucket is under way any more: its mark goes (bucket-folders.ts). */
const markLimitMs = 7 * 24 * 60 * 60 * 1000

/** After this time, the files of a process on another host count as abandoned. */
const elsewhereLimitMs = 24 * 60 * 60 * 1000

interface Sweep {
  readonly root: LocalRoot
  readonly nowMs: number
  /** Finishes what a dead process was doing to the folders of a key. */
  tidyFolders(note: JournalNote): Promise<void>
  /** Called with a file that was removed and that nothing can publish any more. */
  forget(identity: FileIdentity): void
  /** Called when a process has died without removing its files. */
  onDeath(): void
}

/** Removes the files of dead processes, and never those of a living one. */
export async function sweepLeftovers(sweep: Sweep): Promise<void> {
  const { root, nowMs } = sweep
  for (const name of await fs.promises.readdir(root.tempFolder)) {
    const path = join(root.tempFolder, name)
    if (await isAbandoned(path, decodeProcess(name), nowMs)) {
      sweep.onDeath()
      for (const note of await readJournals(path)) await sweep.tidyFolders(note)
      await removeDrafts(path, sweep)
      await fs.promises.rm(path, { recursive: true, force: true })
    }
  }
  for (const name of await fs.promises.readdir(root.lockFolder)) {
    const path = join(root.lockFolder, name)
    // The lock of a dead process delays no one (key-locks.ts takes it over). It is removed only when
    // it is so old that no process can be taking it over at this moment.
    if (await isOlder(path, nowMs - elsewhereLimitMs)) await removeDeadLock(path)
  }
  for (const name of (await unlessAbsent(() => fs.promises.readdir(root.removedFolder))) ?? []) {
    const path = join(root.removedFolder, name)
    if (!(await isOlder(path, nowMs - markLimitMs))) continue
    await fs.promises.rm(path, { recursive: true, force: true })
  }
}

/** The records of drafts were saved before they were to be published. */
async function removeDrafts(folder: string, sweep: Sweep): Promise<void> {
  const { root, forget } = sweep
  const entries = await unlessAbsent(() => fs.promises.readdir(folder, { withFileTypes: true }))
  for (const entry of entries ?? []) {
    const path = join(folder, entry.name)
    // A fence, with files whose removal was interrupted.
    if (entry.isDirectory()) await removeDrafts(path, sweep)
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

/** Undefined for what is not a file that can be opened: it is removed with its folder. */
async function openDraft(path: string): Promise<fs.promises.FileHandle | undefined> {
  const stats = await unlessAbsent(() => fs.promises.lstat(path))
  if (stats?.isFile() !== true) return undefined
  return await unlessAbsent(() => fs.promises.open(path, readFlags))
}

function decodeProcess(name: string): string {
  try {
    return decodeURIComponent(name.replace(formerSuffix, ''))
  } catch {
    // Not the name of a process: treated as one on another host.
    return ''
  }
}

async function isAbandoned(path: string, process: string, nowMs: number): Promise<boolean> {
  // Moved away by a takeover (former-holder.ts): the process can't use it any more, even if it runs.
  if (formerSuffix.test(path)) return true
  if (process === thisProcess) return false
  const liveness = livenessOf(process)
  if (liveness !== 'elsewhere') return liveness === 'dead'
  if (hasEnded(process)) return true
  if (!(await isOlder(path, nowMs - elsewhereLimitMs))) return false
  for (const name of await fs.promises.readdir(path).catch(() => [])) {
    if (!(await isOlder(join(path, name), nowMs - elsewhereLimitMs))) return false
  }
  return true
}

async function isOlder(path: string, thanMs: number): Promise<boolean> {
  const stats = await fs.promises.lstat(path).catch(() => undefined)
  return stats !== undefined && Math.max(stats.mtimeMs, stats.ctimeMs) < thanMs
}

async function removeDeadLock(path: string): Promise<void> {
  await unlessAbsent(async () => {
    const holder = await fs.promises.readFile(path, 'latin1')
    if (livenessOf(holder) !== 'alive') await fs.promises.unlink(path)
  })
}
