import type { TlsIdentity } from '../../platform/http/server.ts'
import { readValue } from '../../platform/process/bounded-file.ts'
import {
  FileMistake,
  SettingMistake,
  SettingsError,
} from '../../platform/process/setting-mistake.ts'
import type { DeclaredKey } from '../../storage/access/declared-keys.ts'
import { credentialKeys } from '../../storage/drives/google/gdrive-kind.ts'
import type { AccessKeyList } from './access-key-list.ts'
import { crossMistakes, settingFiles, tlsIdentityOf, tlsMistakes } from './cross-checks.ts'
import { kindOf } from './drive-kinds.ts'
import { ignoredFileWith } from './env-file.ts'
import { type DriveSettings, namedDrives, nameOfDrive } from './own-drives.ts'
import { type BucketPlaceSetting, defaultDriveName } from './parse-names.ts'
import {
  type DefaultSource,
  defaultText,
  type Environment,
  hasValue,
  isGiven,
  type Setting,
  shown,
} from './setting.ts'
import {
  type DriveValues,
  type SettingValues,
  settingsOfDrives,
  settingsTable,
} from './tables/settings-table.ts'

/** The settings in force. Units are in the names; lists and flags are never undefined. */
export type Settings = Readonly<
  Omit<SettingValues, 'accessKey' | 'secretKey' | 'accessKeys' | 'allowedBuckets'> & {
    readonly accessKey: string
    readonly secretKey: string
    readonly accessKeys: readonly DeclaredKey[]
    readonly allowedBuckets: readonly string[]
    /** Where each of them is. */
    readonly bucketPlaces: readonly BucketPlaceSetting[]
    /** All drives; the default drive, which is also in `drive`, first. */
    readonly drives: readonly DriveSettings[]
    /** Names of settings that come from the file of the generated ones. */
    readonly fromFile?: readonly string[]
  }
>

/** Nothing can be served without these, and no default would be safe. */
const required = ['accessKey', 'secretKey', 'allowedBuckets'] as const

/**
 * Reads and checks every setting.
 *
 * @param envFile the file that some of them come from
 * @throws SettingsError with all mistakes at once.
 */
export async function readSettings(environment: Environment, envFile?: string): Promise<Settings> {
  const mistakes: string[] = []
  const values: Record<string, unknown> = {}
  const source = readDefaultSource(environment, mistakes)
  const { dataDir } = source
  for (const [key, setting] of Object.entries<Setting<unknown>>(settingsTable)) {
    values[key] = isDefaultSource(key, source)
      ? source[key]
      : readOne(setting, environment, mistakes, source)
  }
  const settings = values as SettingValues
  for (const key of required) {
    const { name } = settingsTable[key]
    // An invalid value has its own line already.
    if (!isGiven(environment, name) && defaultText(settingsTable[key], source) === undefined) {
      const ignored = ignoredFileWith(name, { environment, dataDir })
      mistakes.push(
        `${name} is not set: ${ignored}set all of ACCESS_KEY, SECRET_KEY and ALLOWED_BUCKETS`,
      )
    }
  }
  const places = settings.allowedBuckets ?? []
  const drives = readDrives({ environment, settings, mistakes, source })
  // Only parts that one process receives can be sent to Google together (decision 0016).
  const isForOne = drives.some(({ drive }) => drive && kindOf(drive).prefersOneWorker)
  if (isForOne && !isGiven(environment, settingsTable.workers.name)) values.workers = 1
  const declared = await declaredKeys(settings.accessKeys, environment, mistakes)
  const accessKeys = declared.keys
  const files = [...settingFiles(environment, envFile), ...declared.files]
  mistakes.push(...(await crossMistakes({ environment, settings, drives, accessKeys, files })))
  if (mistakes.length > 0) throw new SettingsError(mistakes)
  const allowedBuckets = places.map(({ bucket }) => bucket)
  const checked = { ...settings, accessKeys, allowedBuckets, bucketPlaces: places, drives }
  return Object.freeze(checked) as Settings
}

/** Most gateways have no such list, and zod takes 100 ms and 18 MB. */
async function declaredKeys(
  text: string | undefined,
  environment: Environment,
  mistakes: string[],
): Promise<AccessKeyList> {
  if (text === undefined || text === settingsTable.accessKeys.default)
    return { keys: [], files: [] }
  const { readAccessKeys } = await import('./access-key-list.ts')
  return readAccessKeys(text, environment, mistakes)
}

interface DriveReading {
  readonly source: DefaultSource
  readonly environment: Environment
  readonly settings: SettingValues
  readonly mistakes: string[]
}

/** The default drive, and those that variables name. */
function readDrives({ environment, settings, mistakes, source }: DriveReading): DriveSettings[] {
  const { readOnly = [] } = settings
  const named = namedDrives(environment)
  mistakes.push(...named.mistakes)
  const isReadOnly = (name: string) => readOnly.includes(`@${name}`)
  const others = named.names.map((name) => {
    const values: Record<string, unknown> = {}
    for (const key of settingsOfDrives) {
      const { default: _, ...setting } = {
        ...settingsTable[key],
        name: nameOfDrive(key, name),
      } as Setting<unknown>
      values[key] = readOne(setting, environment, mistakes, source)
    }
    const own = values as Partial<DriveValues>
    // Credentials belong together: a drive has its own, or those without a name.
    const hasOwn = credentialKeys.some((key) => own[key] !== undefined)
    const account = hasOwn
      ? {}
      : Object.fromEntries(credentialKeys.map((key) => [key, settings[key]]))
    const { gdriveDelete = settings.gdriveDelete } = own
    return { ...own, ...account, gdriveDelete, name, isReadOnly: isReadOnly(name) } as DriveSettings
  })
  const own = Object.fromEntries(settingsOfDrives.map((key) => [key, settings[key]])) as DriveValues
  return [{ ...own, name: '', isReadOnly: isReadOnly(defaultDriveName) }, ...others]
}

/**
 * Reads DATA_DIR alone: the file with the other settings is in it.
 *
 * @returns an absolute path
 * @throws SettingsError when it is not valid.
 */
export function dataFolder(environment: Environment): string {
  const mistakes: string[] = []
  const path = readDataDir(environment, mistakes)
  if (mistakes.length > 0) throw new SettingsError(mistakes)
  return path
}

const defaultSource: DefaultSource = {
  dataDir: settingsTable.dataDir.default,
  compatibility: 'contract',
}

function isDefaultSource(key: string, source: DefaultSource): key is keyof DefaultSource {
  return Object.hasOwn(source, key)
}

/** Read before the others. A value that is a mistake counts as unset for them. */
function readDefaultSource(environment: Environment, mistakes: string[]): DefaultSource {
  const compatibility = readOne(settingsTable.compatibility, environment, mistakes)
  return {
    dataDir: readDataDir(environment, mistakes),
    compatibility: compatibility ?? defaultSource.compatibility,
  }
}

function readDataDir(environment: Environment, mistakes: string[]): string {
  // A value that can't be read is a mistake, and the others are checked with the default.
  return readOne(settingsTable.dataDir, environment, mistakes) ?? settingsTable.dataDir.default
}

/**
 * Reloads the certificate and key, for SIGHUP.
 *
 * @throws SettingsError when they are not valid or do not match.
 */
export function readTls(environment: Environment): TlsIdentity | undefined {
  const mistakes: string[] = []
  const tlsCert = readOne(settingsTable.tlsCert, environment, mistakes)
  const tlsKey = readOne(settingsTable.tlsKey, environment, mistakes)
  mistakes.push(...tlsMistakes(environment, { tlsCert, tlsKey }))
  if (mistakes.length > 0) throw new SettingsError(mistakes)
  return tlsIdentityOf({ tlsCert, tlsKey })
}

function readOne<Value>(
  setting: Setting<Value>,
  environment: Environment,
  mistakes: string[],
  source: DefaultSource = defaultSource,
): Value | undefined {
  const text = textOf(setting, environment, mistakes) ?? defaultText(setting, source)
  if (text === undefined) return undefined
  try {
    return setting.parse(text)
  } catch (error) {
    if (!(error instanceof SettingMistake)) throw error
    const shownText =
      error instanceof FileMistake ? shownPath(setting, text) : shownOf(setting, text)
    mistakes.push(`${setting.name} is ${shownText}: ${error.message}`)
    return undefined
  }
}

/** An empty value counts as unset: compose files and shells pass on unset variables that way. */
function textOf(
  setting: Setting<unknown>,
  environment: Environment,
  mistakes: string[],
): string | undefined {
  const { name } = setting
  const direct = environment[name]
  const path = environment[`${name}_FILE`]
  if (!hasValue(path)) return hasValue(direct) ? direct : undefined
  if (hasValue(direct)) {
    mistakes.push(`${name} and ${name}_FILE are both set: expected only one of them`)
    return undefined
  }
  try {
    const text = readValue(path)
    if (text !== '') return text
    mistakes.push(`${name}_FILE is ${shown(path)}: expected a file that is not empty`)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    mistakes.push(
      `${name}_FILE is ${shownPath(setting, path)}: expected the path of a readable file (${code})`,
    )
  }
  return undefined
}

function shownOf({ isSecret }: Setting<unknown>, text: string): string {
  return isSecret ? 'a hidden value' : shown(text)
}

/** Generated secrets in base64 look like this, and one in 64 begins with `/`. */
const base64 = /^(?=.*[A-Z])(?=.*\d)[A-Za-z\d+/]{20,}=*$/

/**
 * The path of a file with a secret is no secret. Text in no form of a path is hidden: people set NAME_FILE to the
 * secret itself.
 */
function shownPath(setting: Setting<unknown>, text: string): string {
  const isPath = /^\.{0,2}\//.test(text) && !base64.test(text)
  return isPath ? shown(text) : shownOf(setting, text)
}
