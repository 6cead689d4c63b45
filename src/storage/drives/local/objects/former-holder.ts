import crypto from 'node:crypto'
import type { ProcessName } from '../../../../platform/process/identity.ts'
import { fs } from '../file-calls.ts'
import { OpenFolder } from '../folders/open-folder.ts'
import { codeOf, unlessAbsent } from '../fs-error.ts'
import type { LocalRoot } from '../local-root.ts'

/** The file that names a process, in its folder of drafts. */
export const holderName = 'holder'

/** Begins the new names of the entries of a folder that was moved away. */
const fencedPrefix = 'fenced-'

/** Ends the new name of a process's folder, after the name of the process. */
export const formerSuffix = /\.former-[\w-]+$/

/** A complete name, as in process/identity.ts. Only such a name may become part of a path. */
const namePattern = /^[^/]+\/\d+\/\d*$/

/** Whether the name of a process may become part of a path. */
export function isCompleteName(name: ProcessName): boolean {
  return namePattern.test(name)
}

/**
 * Makes the renames fail that a process has begun and that would publish or remove objects: those of its drafts, and
 * those into its fence and out of it. Its clients then get 503. The process may only be suspended. The folder is renamed
 * first, so that nothing is added to it meanwhile. Its entries are renamed too, because an NFS client may still reach
 * the folder by its file handle, and a call that was sent before the process died may still be on its way. The sweep
 * removes the folder (leftovers.ts). The holder file, which the process's locks are links to, is not renamed: that would
 * change its time, and the process would seem to be alive.
 */
export async function fenceOff(holder: ProcessName, root: LocalRoot): Promise<void> {
  if (!isCompleteName(holder)) return
  const tempFolder = root.folders.at('tmp')
  const name = encodeURIComponent(holder)
  const former = `${name}.former-`
  try {
    await fs.promises.rename(
      `${tempFolder}/${name}`,
      `${tempFolder}/${former}${crypto.randomUUID()}`,
    )
  } catch (error) {
    // The process has no folder, or another takeover has just moved it.
    if (codeOf(error) !== 'ENOENT') throw error
  }
  // Also in folders that another takeover has moved: it may have been killed before it renamed the entries.
  for (const other of await fs.promises.readdir(tempFolder)) {
    if (other.startsWith(former)) await renameAll(root, `${tempFolder}/${other}`)
  }
}

async function renameAll(root: LocalRoot, path: string): Promise<void> {
  const folder = await OpenFolder.openAt(root, path)
  if (folder === undefined) return
  try {
    for (const entry of await fs.promises.readdir(folder.ownPath, { withFileTypes: true })) {
      const { name } = entry
      if (name.endsWith('.folders') || name.startsWith(holderName)) continue
      const isRenamed = name.startsWith(fencedPrefix)
      const renamed = folder.at(isRenamed ? name : `${fencedPrefix}${crypto.randomUUID()}`)
      if (!isRenamed) await unlessAbsent(() => fs.promises.rename(folder.at(name), renamed))
      if (entry.isDirectory()) await renameAll(root, renamed)
    }
  } finally {
    await folder.close()
  }
}
