import { constants, statSync } from 'node:fs'
import { access } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Settings } from '../settings/read-settings.ts'
import { SettingsError, shown } from '../settings/setting.ts'

/**
 * Checks that the access log can be written, without creating it.
 *
 * @returns a line for people; undefined if ACCESS_LOG_FILE is not set
 * @throws SettingsError, for people.
 */
export async function checkAccessLog({
  accessLogFile: path,
  dataDir,
}: Pick<Settings, 'accessLogFile' | 'dataDir'>): Promise<string | undefined> {
  if (path === undefined) return undefined
  const folder = dirname(path)
  const isNew = statSync(path, { throwIfNoEntry: false }) === undefined
  if (folder === dataDir && statSync(folder, { throwIfNoEntry: false }) === undefined) {
    return `access log: ${path} does not exist yet; the first start creates it`
  }
  try {
    if (!isNew && statSync(path).isDirectory()) throw new Error('it is a folder')
    await access(isNew ? folder : path, constants.W_OK)
  } catch (error) {
    const { message } = error as Error
    throw new SettingsError([
      `ACCESS_LOG_FILE is ${shown(path)}: expected a file that can be written (${message})`,
    ])
  }
  return `access log: ${path} can be written`
}
