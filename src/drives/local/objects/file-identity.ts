import fs, { type Stats } from 'node:fs'
import { join } from 'node:path'

/**
 * What distinguishes one file from every other on the drive, regardless of its name: inode, birth
 * time, modification time and size. It stays when the file is renamed and changes when its bytes
 * do.
 *
 * Inodes are reused, at once on some file systems, and the kernel's file times move in steps of
 * several milliseconds. So the drive gives every file it writes a unique modification time
 * (`uniqueTimeMs`), and an identity is never reused.
 */
export type FileIdentity = string

/** @param hasBirthtime whether birth times last on this file system, see `doesBirthtimeLast`. */
export function identityOf(stats: Stats, hasBirthtime: boolean): FileIdentity {
  const born = hasBirthtime ? stats.birthtimeMs : 0
  return `${stats.ino}:${born}:${stats.mtimeMs}:${stats.size}`
}

/** As `identityOf` for a folder, whose modification time says nothing about the folder itself. */
export function folderIdentityOf(stats: Stats, hasBirthtime: boolean): string {
  return `${stats.ino}:${hasBirthtime ? stats.birthtimeMs : 0}`
}

let lastMicroseconds = 0
/** Processes differ in the nanoseconds below, as far as the file system keeps them. */
const offsetMs = Math.floor(Math.random() * 1000) / 1_000_000

/** The time now, in milliseconds with a fraction, never the same twice. */
export function uniqueTimeMs(): number {
  lastMicroseconds = Math.max(lastMicroseconds + 1, Date.now() * 1000)
  return lastMicroseconds / 1000 + offsetMs
}

/**
 * Whether files in this folder keep their birth time when they are renamed and linked. If the file
 * system has none, libuv returns the change time instead, which does not last.
 */
export async function doesBirthtimeLast(folder: string): Promise<boolean> {
  const path = join(folder, `birth-${process.pid}-${uniqueTimeMs()}`)
  const renamed = `${path}.renamed`
  await fs.promises.writeFile(path, '', { flag: 'wx' })
  try {
    // A change time that moves with these calls must be seen to move: set it apart.
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
