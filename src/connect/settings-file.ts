import { randomUUID } from 'node:crypto'
import { mkdir, open, readFile, rename, unlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { changeEnvFile, parseEnvFile } from '../wiring/settings/env-file.ts'
import { ConnectError } from './connect-error.ts'

/** Of a settings file; empty when there is none. */
export async function readSettingsFile(path: string): Promise<Record<string, string>> {
  return parseEnvFile(await textOf(path))
}

/**
 * Writes values into a settings file and keeps its other lines. The new file replaces the old one
 * in one step, durably, and only its owner can read it. Undefined removes a line.
 *
 * @throws ConnectError when the file can't be written, or can't represent a value.
 */
export async function writeSettingsFile(
  path: string,
  values: Readonly<Record<string, string | undefined>>,
): Promise<void> {
  const before = await textOf(path)
  const draft = join(dirname(path), `.${randomUUID()}.env`)
  try {
    const text = changeEnvFile(before, values)
    await mkdir(dirname(path), { recursive: true, mode: 0o700 })
    await writeDurably(draft, text)
    await rename(draft, path)
    await syncFolder(dirname(path))
  } catch (cause) {
    // If the draft could not be created, there is nothing to remove.
    await unlink(draft).catch(() => undefined)
    const why = cause instanceof RangeError ? cause.message : (cause as NodeJS.ErrnoException).code
    throw new ConnectError(`${path} can't be written: ${why}`, { cause })
  }
}

async function textOf(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8')
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException
    if (code === 'ENOENT') return ''
    throw new ConnectError(`${path} can't be read (${code})`, { cause })
  }
}

async function writeDurably(path: string, text: string): Promise<void> {
  const file = await open(path, 'wx', 0o600)
  try {
    await file.writeFile(text)
    await file.sync()
  } finally {
    await file.close()
  }
}

async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r')
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}
