import fs, { type Stats } from 'node:fs'
import { isSameFile } from './file-identity.ts'
import type { ObjectFile } from './object-files.ts'

/**
 * Whether an open file still has the bytes with which it was opened, as far as its status shows. Overwriting and
 * removing the object, links, permissions and renames change its change time, but not its bytes. Any other change of
 * that time counts as a change of the bytes: a program may have restored the modification time.
 */
export function isSameVersion(
  now: Stats,
  { path, stats }: Pick<ObjectFile, 'path' | 'stats'>,
  hasBirthtime: boolean,
): boolean {
  if (!isSameFile(now, stats, hasBirthtime)) return false
  if (now.ctimeMs === stats.ctimeMs || now.nlink !== stats.nlink) return true
  if (now.mode !== stats.mode || now.uid !== stats.uid || now.gid !== stats.gid) return true
  // This is rare, so the call may block.
  const there = fs.lstatSync(path, { throwIfNoEntry: false })
  return there?.ino !== now.ino || there.dev !== now.dev
}
