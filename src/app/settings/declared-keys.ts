import { resolve } from 'node:path'
import { readValue } from '../../platform/process/bounded-file.ts'
import { SettingMistake } from '../../platform/process/setting-mistake.ts'
import type { DeclaredKey } from '../../storage/access/declared-keys.ts'
import type { ParsedKey } from './access-key-list.ts'
import { settingsTable } from './tables/settings-table.ts'

/**
 * @param text of ACCESS_KEYS; undefined if it can't be read
 * @param mistakes gets a line if it is not valid
 */
export async function readKeyList(
  text: string | undefined,
  mistakes: string[],
): Promise<readonly ParsedKey[]> {
  if (text === undefined || text === settingsTable.accessKeys.default) return []
  // Most gateways have no such list, and zod takes 100 ms and 18 MB.
  const { accessKeyList } = await import('./access-key-list.ts')
  try {
    return accessKeyList(text)
  } catch (error) {
    if (!(error instanceof SettingMistake)) throw error
    mistakes.push(`${settingsTable.accessKeys.name} is a hidden value: ${error.message}`)
    return []
  }
}

/** The files with secrets, which clients must not be able to read. */
export function secretFiles(
  keys: readonly ParsedKey[],
): { readonly name: string; readonly path: string }[] {
  return keys.flatMap(({ secret, accessKeyId }) =>
    'file' in secret
      ? [{ name: `secretKeyFile of ${accessKeyId} in ACCESS_KEYS`, path: resolve(secret.file) }]
      : [],
  )
}

/**
 * Reads the secrets of the keys.
 *
 * @param mistakes gets a line for each secret that can't be read
 */
export function withSecrets(
  keys: readonly ParsedKey[],
  environment: Readonly<Record<string, string | undefined>>,
  mistakes: string[],
): DeclaredKey[] {
  return keys.map(({ secret, ...key }) => {
    const secretKey = 'file' in secret ? fileText(secret.file) : environment[secret.variable]
    if (!secretKey) {
      const where =
        'file' in secret ? `the file ${secret.file}` : `the environment variable ${secret.variable}`
      mistakes.push(
        `ACCESS_KEYS has the key ${key.accessKeyId}: expected its secret in ${where}, which cannot be read or is empty`,
      )
    }
    return { ...key, secretKey: secretKey ?? '' }
  })
}

function fileText(path: string): string | undefined {
  try {
    return readValue(path)
  } catch {
    return undefined
  }
}
