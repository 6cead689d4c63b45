import crypto from 'node:crypto'
import type { Stats } from 'node:fs'
import { uptime } from 'node:os'
import { isOfThisBoot, livenessOf } from '../../../../platform/process/identity.ts'
import type { Log } from '../../../../platform/process/log.ts'
import { allDone, closeFile, fs, openFile } from '../file-calls.ts'
import { makePrivateFolder } from '../folders/open-folder.ts'
import { ownFolderName, removeTree } from '../folders/own-folders.ts'
import { unlessAbsent } from '../fs-error.ts'
import type { LocalRoot } from '../local-root.ts'
import { joinFilePath, localPathOf } from '../object-path.ts'
import { type OpenFence, removeThrough } from '../objects/fence.ts'
import { identityOf, lastingPart } from '../objects/file-identity.ts'
import { readFlags, readFully } from '../objects/paced-files.ts'
import type { OpenDrive } from '../open-drive.ts'
import { isSince, type Suspect, suspectsSince } from './suspects.ts'
import { syncFileSystem } from './sync-file-system.ts'
import { type FoundNote, readNotes, replacedFiles } from './unsynced-note.ts'

/** The folder in the drive's own folder for files that a power failure has torn. */
const damagedName = 'damaged'
/** A change of attributes moves a time within its millisecond (set-attributes.ts). */
const fileMarginMs = 1
/** The kernel's clock is coarser, and may have been set back. */
const folderMarginMs = 60_000
/** A process that can't be asked has ended if it has not changed its note for this time. */
const silentMs = 600_000
const chunkBytes = 1024 * 1024

/**
 * Looks at what processes with relaxed writes have left (relaxed-writes.ts). After a power failure, each object that was
 * written since the time in their notes is compared with its ETag. One that is torn is moved to `.bucketry/damaged`, and the
 * file that it had replaced is the object again.
 *
 * @returns their notes, for `endNotes`
 */
export async function restoreTorn(
  drive: OpenDrive,
  log: Pick<Log, 'warn'>,
): Promise<readonly FoundNote[]> {
  const notes = await readNotes(drive.root)
  const left = notes.filter(({ process }) => livenessOf(process) !== 'alive')
  const powerless = left.filter(({ process }) => !isOfThisBoot(process))
  const unsynced = powerless.filter(({ sinceMs }) => sinceMs !== undefined)
  if (unsynced.length > 0) await restoreAfter(drive, unsynced, log)
  return left
}

/** Makes durable what the processes of these notes have written, and removes the notes. A slow disk may take long. */
export async function endNotes(
  { root, attributeCache }: Pick<OpenDrive, 'root' | 'attributeCache'>,
  notes: readonly FoundNote[],
): Promise<void> {
  if (notes.length === 0) return
  await allDone([syncFileSystem(root.path || '/'), attributeCache.flush()])
  const paths = new Set(notes.map(({ path }) => path))
  // Read again: a process that can't be asked may have used its note during the sync.
  for (const note of await readNotes(root)) {
    if (paths.has(note.path) && isOver(note)) await removeTree(root, note.path)
  }
}

function isOver({ process, changedAtMs }: FoundNote): boolean {
  if (!isOfThisBoot(process) || livenessOf(process) === 'dead') return true
  return Date.now() - changedAtMs > silentMs
}

/** What is known about the moment of the power failure. */
interface Failure {
  /** See `replacedFiles`. */
  readonly replaced: ReadonlyMap<string, string>
  readonly sinceMs: number
  /** The latest that it can have been. The system may have been started more than once since. */
  readonly untilMs: number
}

async function restoreAfter(
  drive: OpenDrive,
  notes: readonly FoundNote[],
  log: Pick<Log, 'warn'>,
): Promise<void> {
  const sinceMs = Math.min(...notes.map((note) => note.sinceMs ?? Infinity)) - fileMarginMs
  const changedMs = notes.map((note) => note.changedAtMs)
  const startedMs = Date.now() - uptime() * 1000
  // Unlike the times of objects, the kernel's clock may have been set back.
  const silentSinceMs = Math.max(...changedMs, ...notes.map((note) => note.sinceMs ?? 0)) + silentMs
  // A clock without a battery starts in the past.
  const untilMs = startedMs > sinceMs ? Math.min(startedMs, silentSinceMs) : silentSinceMs
  const failure = { replaced: await replacedFiles(notes), sinceMs, untilMs }
  const folderMs = Math.min(sinceMs, ...changedMs) - folderMarginMs
  let looked = 0
  let torn = 0
  for await (const suspect of suspectsSince(drive.root, { fileMs: sinceMs, folderMs })) {
    looked += 1
    const outcome = await restore(drive, suspect, failure)
    if (outcome === undefined) continue
    torn += 1
    log.warn({ bucket: suspect.bucket, key: suspect.key, ...outcome }, 'a power failure tore it')
  }
  log.warn({ looked, torn }, 'checked the objects written last before a power failure')
}

interface Outcome {
  /** The path of the torn file. */
  readonly moved: string
  readonly isFormerRestored: boolean
}

/** Undefined if the object is whole. */
async function restore(
  drive: OpenDrive,
  { bucket, key, filePath }: Suspect,
  failure: Failure,
): Promise<Outcome | undefined> {
  const { root } = drive
  const objectPath = localPathOf(bucket, key)
  const path = `${root.path}/${joinFilePath(filePath)}`
  return await drive.locks.hold(objectPath.path, async (fence) => {
    const stats = await root.files.lstat(path)
    if (!isSince(stats, failure.sinceMs) || stats === undefined) return undefined
    if (await isWhole(drive, path, stats, failure.untilMs)) return undefined
    const moved = await keepDamaged(root, path)
    const former = await formerOf(drive, stats, failure)
    if (former === undefined) await removeThrough(fence, root, path, { isLarge: false })
    else await replaceBy(root, fence, former, path)
    return { moved, isFormerRestored: former !== undefined }
  })
}

/** The path of the newest whole file among those that this one and its predecessors have replaced. */
async function formerOf(
  drive: OpenDrive,
  torn: Stats,
  { replaced, sinceMs }: Failure,
): Promise<string | undefined> {
  for (let stats = torn; ; ) {
    const path = replaced.get(lastingPart(identityOf(stats, drive.root.hasBirthtime)))
    const former = path && (await unlessAbsent(() => fs.promises.lstat(path)))
    // A file that replaced itself was published by an attempt that seemed to fail.
    if (!former || former.ino === stats.ino) return undefined
    if (former.mtimeMs < sinceMs || (await isWhole(drive, path, former, Infinity))) return path
    stats = former
  }
}

/** @param untilMs a file without a record that is newer was added by hand since */
async function isWhole(
  { root, attributeCache }: Pick<OpenDrive, 'root' | 'attributeCache'>,
  path: string,
  stats: Stats,
  untilMs: number,
): Promise<boolean> {
  const recorded = await attributeCache.recorded(identityOf(stats, root.hasBirthtime))
  if (recorded === undefined) return stats.mtimeMs > untilMs
  // Writes with other ETags are not relaxed.
  return recorded.etag.includes('-') || recorded.etag === (await md5Of(path))
}

async function md5Of(path: string): Promise<string> {
  const md5 = crypto.createHash('md5')
  const buffer = Buffer.allocUnsafeSlow(chunkBytes)
  const fd = await openFile(path, readFlags)
  try {
    for (let position = 0; ; ) {
      const count = await readFully(fd, buffer, position)
      if (count === 0) return md5.digest('hex')
      md5.update(buffer.subarray(0, count))
      position += count
    }
  } finally {
    await closeFile(fd)
  }
}

/** Links the file, so that a kill before the next step loses nothing. */
async function keepDamaged(root: LocalRoot, path: string): Promise<string> {
  const folder = `${root.path}/${ownFolderName}/${damagedName}`
  await makePrivateFolder(folder)
  const kept = `${folder}/${crypto.randomUUID()}`
  await root.files.link(path, kept)
  return kept
}

async function replaceBy(
  root: LocalRoot,
  fence: OpenFence,
  former: string,
  path: string,
): Promise<void> {
  const token = fence.newPath()
  await fs.promises.link(former, token)
  await root.files.rename(token, path)
}
