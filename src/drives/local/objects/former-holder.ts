import crypto from 'node:crypto'
import fs from 'node:fs'
import type { ProcessName } from '../../../process/identity.ts'
import { codeOf, unlessAbsent } from '../fs-error.ts'
import type { LocalRoot } from '../local-root.ts'

/** The file that names a process, in its folder of drafts. */
export const holderName = 'holder'

/** Begins the new names of what is in such a folder. */
const fencedPrefix = 'fenced-'

/** What follows the name of a process in the name of its former folder. */
export const formerSuffix = /\.former-[\w-]+$/

/** A complete name, as in process/identity.ts: nothing else may become part of a path. */
const namePattern = /^[^/]+\/\d+\/\d*$/

/** Whether the name of a process may become part of a path. */
export function isCompleteName(name: ProcessName): boolean {
  return namePattern.test(name)
}

/**
 * Makes sure that a process that may only be suspended publishes and removes nothing of what it has begun: its later
 * renames of drafts, and those into its fence and out of it, fail, and its clients get 503. The folder is renamed
 * first, so that nothing is added meanwhile. What is in it is renamed too, because an NFS client may still reach the
 * folder by its file handle, and a call that was sent before the process died may still be on its way. The sweep
 * removes the folder (leftovers.ts). The file that the process's locks are links to stays as it is: a change would
 * look like a sign of life.
 */
export async function fenceOff(
  holder: ProcessName,
  { tempFolder }: Pick<LocalRoot, 'tempFolder'>,
): Promise<void> {
  if (!isCompleteName(holder)) return
  const name = encodeURIComponent(holder)
  const former = `${name}.former-`
  try {
    await fs.promises.rename(
      `${tempFolder}/${name}`,
      `${tempFolder}/${former}${crypto.randomUUID()}`,
    )
  } catch (error) {
    // It has none, or another process has just moved it.
    if (codeOf(error) !== 'ENOENT') throw error
  }
  // Also what another process has moved, and was perhaps killed before it came so far.
  for (const other of await fs.promises.readdir(tempFolder)) {
    if (other.startsWith(former)) await renameAll(`${tempFolder}/${other}`)
  }
}

async function renameAll(folder: string): Promise<void> {
  const entries = await unlessAbsent(() => fs.promises.readdir(folder, { withFileTypes: true }))
  for (const entry of entries ?? []) {
    const { name } = entry
    if (name.endsWith('.folders') || name.startsWith(holderName)) continue
    const isRenamed = name.startsWith(fencedPrefix)
    const path = isRenamed ? `${folder}/${name}` : `${folder}/${fencedPrefix}${crypto.randomUUID()}`
    if (!isRenamed) await unlessAbsent(() => fs.promises.rename(`${folder}/${name}`, path))
    if (entry.isDirectory()) await renameAll(path)
  }
}
