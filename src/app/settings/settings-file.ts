import { randomUUID } from 'node:crypto'
import type { Stats } from 'node:fs'
import { chown, mkdir, readFile, realpath, rename, stat, unlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { syncFolderAt } from '../../storage/drives/local/folders/open-folder.ts'
import { changeEnvFile, parseEnvFile } from './env-file.ts'

/** The file can't be read or written. The message says why and contains no secrets. */
export class SettingsFileError extends Error {
  override readonly name = 'SettingsFileError'
}

/** The values in a settings file; empty when there is no file. */
export async function readSettingsFile(path: string): Promise<Record<string, string>> {
  return parseEnvFile(await textOf(path))
}

/**
 * Writes values to a settings file and keeps its other lines. The new file replaces the old one
 * atomically and durably, and only its owner can read it. An undefined value removes its line.
 *
 * @throws SettingsFileError when the file can't be written, or can't represent a value.
 */
export async function writeSettingsFile(
  path: string,
  values: Readonly<Record<string, string | undefined>>,
): Promise<void> {
  const before = await textOf(path)
  // A symbolic link stays one.
  const target = await realpath(path).catch(() => path)
  const draft = join(dirname(target), `.${randomUUID()}.env`)
  try {
    const text = changeEnvFile(before, values)
    await mkdir(dirname(target), { recursive: true, mode: 0o700 })
    await writeFile(draft, text, { flag: 'wx', mode: 0o600, flush: true })
    await giveTo(await ownerOf(target), draft)
    await rename(draft, target)
    // The folder may be a symbolic link.
    await syncFolderAt(await realpath(dirname(target)))
  } catch (cause) {
    // If the draft could not be created, there is nothing to remove.
    await unlink(draft).catch(() => undefined)
    const why = cause instanceof RangeError ? cause.message : (cause as NodeJS.ErrnoException).code
    throw new SettingsFileError(`${path} can't be written: ${why}`, { cause })
  }
}

/** The owner of the file, or of its folder if there is no file. */
async function ownerOf(path: string): Promise<Stats> {
  return await stat(path).catch(() => stat(dirname(path)))
}

/** Changes the owner, because a service that runs as another user could not read a file owned by root. */
async function giveTo({ uid, gid }: Stats, path: string): Promise<void> {
  if (process.geteuid?.() === 0) await chown(path, uid, gid)
}

async function textOf(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8')
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException
    if (code === 'ENOENT') return ''
    throw new SettingsFileError(`${path} can't be read (${code})`, { cause })
  }
}
