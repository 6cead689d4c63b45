import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseEnvFile } from './env-file.ts'
import { type Environment, isGiven } from './environment.ts'

/** The file of the generated settings, in DATA_DIR. */
export const settingsFileName = 'bucketry.env'

/** If any of these is set in the environment, the file is not read (docs/configuration.md, "First start"). */
export const ownSettings = [
  'ACCESS_KEY',
  'SECRET_KEY',
  'ALLOWED_BUCKETS',
  'DASHBOARD_PASSWORD',
] as const

/**
 * For the message that a setting is missing: the file of the generated settings has it, and was not read.
 *
 * @returns a part of a sentence; empty if that is not so
 */
export function ignoredFileWith(
  name: string,
  { environment, dataDir }: { readonly environment: Environment; readonly dataDir: string },
): string {
  const file = join(dataDir, settingsFileName)
  if (textOf(file, name) === undefined) return ''
  const reason = ownSettings.filter((own) => isGiven(environment, own)).join(', ')
  return `${file} has it, but is not read, because ${reason} is set outside it. Move ${reason} into that file, or `
}

function textOf(file: string, name: string): string | undefined {
  try {
    return parseEnvFile(readFileSync(file, 'utf8'))[name]
  } catch {
    // Missing or not readable: the message does not name it.
    return undefined
  }
}
