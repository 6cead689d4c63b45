import crypto from 'node:crypto'
import fs from 'node:fs'
import type { ProcessName } from '../../../process/identity.ts'
import { codeOf, unlessAbsent } from '../fs-error.ts'
import type { LocalRoot } from '../local-root.ts'

/** The file that names a process, in its folder of drafts. */
export const holderName = 'holder'

/** What follows the name of a process in the name of its former folder. */
export const formerSuffix = /\.former-[\w-]+$/

/** A complete name, as in process/identity.ts: nothing else may become part of a path. */
const namePattern = /^[^/]+\/\d+\/\d*$/

/** Whether the name of a process may become part of a path. */
export function isCompleteName(name: ProcessName): boolean {
  return namePattern.test(name)
}

/**
 * Makes sure that a process on another host, which may only be suspended, publishes nothing of what it has begun:
 * its later rename of a draft fails, and its client gets 503. The folder is renamed first, so that no draft is
 * added meanwhile; the drafts are removed, because an NFS client may still reach the folder by its file handle.
 * Journals stay for the sweep (leftovers.ts), and the file that its locks are links to: the change would look like
 * a sign of life.
 */
export async function removeDraftsOf(
  holder: ProcessName,
  { tempFolder }: Pick<LocalRoot, 'tempFolder'>,
): Promise<void> {
  if (!isCompleteName(holder)) return
  const folder = `${tempFolder}/${encodeURIComponent(holder)}`
  const aside = `${folder}.former-${crypto.randomUUID()}`
  try {
    await fs.promises.rename(folder, aside)
  } catch (error) {
    // It has no drafts.
    if (codeOf(error) === 'ENOENT') return
    throw error
  }
  for (const name of (await unlessAbsent(() => fs.promises.readdir(aside))) ?? []) {
    if (name.endsWith('.folders') || name.startsWith(holderName)) continue
    await unlessAbsent(() => fs.promises.unlink(`${aside}/${name}`))
  }
}
