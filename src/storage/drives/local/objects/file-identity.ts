import type { Stats } from 'node:fs'
import { join } from 'node:path'
import { fs } from '../file-calls.ts'
import type { Paced, PacedFiles } from './paced-files.ts'

/**
 * Distinguishes a file from all others on the drive, regardless of its name: inode, birth time,
 * modification time and size. It stays the same when the file is renamed, and changes with its bytes.
 *
 * Inodes are reused, on some file systems immediately, and the kernel's file times advance in steps of
 * several milliseconds. So the drive gives every file that it writes a unique modification time
 * (`uniqueTimeMs`), and an identity is never reused.
 */
export type FileIdentity = string

/** The part of a file's status that the drive uses. */
export interface FileStamp {
  readonly identity: FileIdentity
  readonly size: number
  readonly modifiedAtMs: number
}

/** @param hasBirthtime whether the file system keeps birth times, see `doesBirthtimeLast` */
export function identityOf(stats: Stats, hasBirthtime: boolean): FileIdentity {
  const born = hasBirthtime ? stats.birthtimeMs : 0
  return `${stats.ino}:${born}:${stats.mtimeMs}:${stats.size}`
}

/**
 * The limits of reported times: HTTP dates (RFC 9110 section 5.6.7) and ISO 8601 have four digits for
 * the year. A file may have any time (utimensat(2)).
 */
const earliestMs = Date.parse('0001-01-01T00:00:00.000Z')
const latestMs = Date.parse('9999-12-31T23:59:59.999Z')

/** The stamp of a file with this status. */
export function describe(
  stats: Stats,
  { hasBirthtime }: { readonly hasBirthtime: boolean },
): FileStamp {
  return {
    identity: identityOf(stats, hasBirthtime),
    size: stats.size,
    modifiedAtMs: Math.min(Math.max(stats.mtimeMs, earliestMs), latestMs),
  }
}

/** The identity of a file whose name is removed or overwritten; undefined if it has another name. */
export function goneIdentity(stats: Stats, hasBirthtime: boolean): FileIdentity | undefined {
  return stats.nlink > 1 ? undefined : identityOf(stats, hasBirthtime)
}

/** The part of an identity that stays if a power failure tears the file, or if its attributes change (set-attributes.ts). */
export function lastingPart(identity: FileIdentity): string {
  const [inode = '', , modifiedAtMs] = identity.split(':')
  return `${inode}-${Math.floor(Number(modifiedAtMs))}`
}

/** Whether both are names of one file, which may have changed meanwhile. */
export function isOneFile(one: Stats | undefined, { ino, dev }: Stats): boolean {
  return one?.ino === ino && one.dev === dev
}

/** Compares identities, and the file systems. */
export function isSameFile(now: Stats, seen: Stats, hasBirthtime: boolean): boolean {
  return (
    now.ino === seen.ino &&
    now.dev === seen.dev &&
    now.mtimeMs === seen.mtimeMs &&
    now.size === seen.size &&
    (!hasBirthtime || now.birthtimeMs === seen.birthtimeMs)
  )
}

/** A change of attributes in place moves the modification time by at least this, in milliseconds, within the same one. */
const minMoveMs = 0.001

/**
 * Whether the file may differ in its attributes only (set-attributes.ts). A program that restores the time of a file after an
 * edit may cut off fractions of a microsecond, which is a smaller move, or of a millisecond, which leaves no fraction.
 */
export function hasOtherAttributes(now: Stats, seen: Stats, hasBirthtime: boolean): boolean {
  const wholeMs = Math.floor(seen.mtimeMs)
  const isMoved = Math.abs(now.mtimeMs - seen.mtimeMs) >= minMoveMs
  if (!isMoved || Math.floor(now.mtimeMs) !== wholeMs || now.mtimeMs - wholeMs < minMoveMs) {
    return false
  }
  const { ino, dev, size, birthtimeMs } = now
  const isSame = ino === seen.ino && dev === seen.dev && size === seen.size
  return isSame && (!hasBirthtime || birthtimeMs === seen.birthtimeMs)
}

/**
 * Also compares the change times: a program that restores the modification time, or writes through a shared mapping, may
 * have changed the bytes of the same file. A new name or permission changes that time as well.
 */
export function isUntouched(now: Stats, seen: Stats, hasBirthtime: boolean): boolean {
  return now.ctimeMs === seen.ctimeMs && isSameFile(now, seen, hasBirthtime)
}

/**
 * Whether an open file still has the bytes with which it was opened, according to its status. Its change time, but not its
 * bytes, also changes when the object is overwritten or removed and with links, permissions and renames. Any other change
 * of that time counts as a change of the bytes: a program may have restored the modification time.
 */
export function isSameVersion(
  now: Stats,
  { path, stats }: { readonly path: string; readonly stats: Stats },
  { hasBirthtime, files }: { readonly hasBirthtime: boolean; readonly files: PacedFiles },
): Paced<boolean> {
  if (hasOtherAttributes(now, stats, hasBirthtime)) return true
  if (!isSameFile(now, stats, hasBirthtime)) return false
  if (now.ctimeMs === stats.ctimeMs || now.nlink !== stats.nlink) return true
  if (now.mode !== stats.mode || now.uid !== stats.uid || now.gid !== stats.gid) return true
  const isElsewhere = (there: Stats | undefined) => there?.ino !== now.ino || there.dev !== now.dev
  const there = files.lstat(path)
  return there instanceof Promise ? there.then(isElsewhere) : isElsewhere(there)
}

/** As `identityOf`, for a folder. Its modification time changes with its content. */
export function folderIdentityOf(stats: Stats, hasBirthtime: boolean): string {
  return `${stats.ino}:${hasBirthtime ? stats.birthtimeMs : 0}`
}

let lastMicroseconds = 0
/** Makes the times of processes differ in the nanoseconds, if the file system stores them. */
const offsetMs = Math.floor(Math.random() * 1000) / 1_000_000

/**
 * The current time in milliseconds with a fraction, never the same twice.
 *
 * @param afterMs if this clock is behind it, the millisecond after it instead
 */
export function uniqueTimeMs(afterMs = 0): number {
  const earliest = (Math.floor(afterMs) + 1) * 1000
  lastMicroseconds = Math.max(lastMicroseconds + 1, Date.now() * 1000, earliest)
  return lastMicroseconds / 1000 + offsetMs
}

/**
 * Whether files in this folder keep their birth time when they are renamed. If the file system has
 * none, libuv returns the change time, which changes.
 */
export async function doesBirthtimeLast(folder: string): Promise<boolean> {
  const path = join(folder, `birth-${process.pid}-${uniqueTimeMs()}`)
  const renamed = `${path}.renamed`
  await fs.promises.writeFile(path, '', { flag: 'wx' })
  try {
    // The later rename must then cause another change time, also with a coarse clock.
    await fs.promises.utimes(path, 1, 1)
    const before = await fs.promises.lstat(path)
    await new Promise((resolve) => setTimeout(resolve, clockStepMs))
    await fs.promises.rename(path, renamed)
    const after = await fs.promises.lstat(renamed)
    return before.birthtimeMs === after.birthtimeMs && before.ctimeMs !== after.ctimeMs
  } finally {
    await fs.promises.rm(path, { force: true })
    await fs.promises.rm(renamed, { force: true })
  }
}

/** Longer than a step of the kernel's file clock (at most 10 ms, HZ=100). */
const clockStepMs = 12
