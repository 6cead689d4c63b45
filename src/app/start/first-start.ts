import { randomInt, randomUUID } from 'node:crypto'
import { link, mkdir, readFile, realpath, unlink, writeFile } from 'node:fs/promises'
import { dirname, join, sep } from 'node:path'
import { SettingsError } from '../../platform/process/setting-mistake.ts'
import { syncFolderAt } from '../../storage/drives/local/folders/open-folder.ts'
import { formatEnvFile, ownSettings, parseEnvFile, settingsFileName } from '../settings/env-file.ts'
import { dataFolder } from '../settings/read-settings.ts'
import { type Environment, isGiven } from '../settings/setting.ts'

/** Other users of this machine must not be able to read keys, sessions and objects. */
const privateFolder = 0o700
const comment = 'Created by Bucketry at its first start, read at every start. Keep it secret.'

const upperCaseAndDigits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789'
const lettersAndDigits = `${upperCaseAndDigits}abcdefghijklmnopqrstuvwxyz`

export interface FirstStart {
  /** The environment with the settings that this start or an earlier one generated. */
  readonly environment: Environment
  /** The file of the generated settings; undefined if the user has configured the gateway. */
  readonly file: string | undefined
  /** Whether this start created the file. */
  readonly isNew: boolean
  /** The contents of the file; empty if there is none. */
  readonly kept: Environment
}

/**
 * Makes the gateway usable without configuration: at the first start, generates keys, a dashboard
 * password and the name of one bucket, and saves them in bucketry.env in DATA_DIR. Processes that start at
 * the same time agree on one file.
 *
 * @throws SettingsError when the file can't be read or written, or DATA_DIR is not valid.
 */
export async function provideSettings(environment: Environment): Promise<FirstStart> {
  if (isConfigured(environment)) {
    return { environment, file: undefined, isNew: false, kept: {} }
  }
  const file = settingsFileIn(environment)
  try {
    const kept = await readIfThere(file)
    const isNew =
      kept === undefined && (await publish(file, formatEnvFile(comment, generatedSettings())))
    const values = parseEnvFile(kept ?? (await readFile(file, 'utf8')))
    return { environment: joined(environment, values), file, isNew, kept: values }
  } catch (cause) {
    throw unusable(file, cause)
  }
}

/**
 * The environment with the current contents of the file. Does not create a removed file again.
 *
 * @throws the system's error when the file can't be read.
 */
export async function readAgain(
  environment: Environment,
  file: string | undefined,
): Promise<Environment> {
  if (file === undefined) return environment
  return joined(environment, parseEnvFile(await readFile(file, 'utf8')))
}

/**
 * The environment takes precedence; an empty variable counts as unset. DATA_DIR in the file has no effect,
 * because it determines where the file is.
 */
function joined(environment: Environment, { DATA_DIR: _, ...values }: Environment): Environment {
  const given = Object.entries(environment).filter(([, value]) => value !== '')
  return { ...values, ...Object.fromEntries(given) }
}

/** The names of the settings that come from the file. Those in the environment do not. */
export function namesFrom({ kept }: Pick<FirstStart, 'kept'>, environment: Environment): string[] {
  return Object.keys(kept).filter((name) => name !== 'DATA_DIR' && !isGiven(environment, name))
}

/**
 * The path of the generated settings file.
 *
 * @throws SettingsError when DATA_DIR is not valid.
 */
export function settingsFileIn(environment: Environment): string {
  return join(dataFolder(environment), settingsFileName)
}

/** The environment with ALLOWED_BUCKETS from the command line, which takes precedence. */
export function withBuckets(environment: Environment, buckets: string | undefined): Environment {
  if (buckets === undefined) return environment
  return { ...environment, ALLOWED_BUCKETS: buckets, ALLOWED_BUCKETS_FILE: undefined }
}

/** Creates DATA_DIR if any of these paths is in it. */
export async function makeDataFolder(dataDir: string, paths: readonly string[]): Promise<void> {
  if (!paths.some((one) => one.startsWith(`${dataDir}${sep}`))) return
  // If the folder can't be created, the code that needs it reports why.
  await mkdir(dataDir, { recursive: true, mode: privateFolder }).catch(() => undefined)
}

/**
 * The environment with the settings that an earlier start generated. Generates none itself, for commands
 * that run beside a gateway.
 *
 * @throws SettingsError when the file can't be read.
 */
export async function keptSettings(environment: Environment): Promise<Environment> {
  if (isConfigured(environment)) return environment
  const file = settingsFileIn(environment)
  try {
    const text = await readIfThere(file)
    return text === undefined ? environment : joined(environment, parseEnvFile(text))
  } catch (cause) {
    throw unusable(file, cause)
  }
}

/**
 * Like keptSettings, for commands that require the settings of a gateway.
 *
 * @throws SettingsError when there are none.
 */
export async function settingsOfGateway(environment: Environment): Promise<Environment> {
  const kept = await keptSettings(environment)
  if (isConfigured(kept)) return kept
  throw new SettingsError([
    `${settingsFileIn(environment)} does not exist: run this in the folder of the gateway, with its flags and environment`,
  ])
}

/** How a restore treats the generated settings in a backup. */
export interface RestoredSettings {
  /** The environment with the settings of the restored gateway. */
  readonly environment: Environment
  /**
   * Writes the file, if the restored gateway needs it.
   *
   * @returns a user-facing message about what was done
   * @throws SettingsError when the file can't be written.
   */
  write(): Promise<string>
}

/**
 * The generated settings in a backup. They are written if this gateway is not configured by its environment
 * and has no settings file yet.
 *
 * @param text the text of the file in the backup; null if the backup has none
 * @throws SettingsError when there are no settings, or the file can't be read.
 */
export async function settingsOfRestore(
  environment: Environment,
  text: string | null,
): Promise<RestoredSettings> {
  const file = settingsFileIn(environment)
  const kept = await keptSettings(environment)
  if (text === null || kept !== environment || isConfigured(environment)) {
    const reason = isConfigured(environment)
      ? ' The settings in the backup were not restored, because the environment has settings.'
      : ` ${file} exists and was kept.`
    return {
      environment: await settingsOfGateway(environment),
      write: async () => (text === null ? '' : reason),
    }
  }
  return {
    environment: joined(environment, parseEnvFile(text)),
    async write() {
      const isNew = await publish(file, text).catch((cause: unknown) => {
        throw unusable(file, cause)
      })
      // Another process has just written a file: the database would not match the SECRET_KEY in it.
      if (!isNew) throw new SettingsError([`${file} was created during the restore: restore again`])
      return ` Settings restored to ${file}.`
    },
  }
}

/** Whether the user has configured the gateway. If so, nothing is generated. */
export function isConfigured(environment: Environment): boolean {
  return ownSettings.some((name) => isGiven(environment, name))
}

function unusable(file: string, cause: unknown): SettingsError {
  const { code } = cause as NodeJS.ErrnoException
  return new SettingsError([
    `cannot read or write ${file} (${code}): make it readable and writable, or set ACCESS_KEY, SECRET_KEY and ALLOWED_BUCKETS`,
  ])
}

/** Keys in the format of AWS, so that every client accepts them. All values are safe in a shell. */
export function generatedSettings() {
  return {
    ACCESS_KEY: `AK${randomText(18, upperCaseAndDigits)}`,
    SECRET_KEY: randomText(40, lettersAndDigits),
    ALLOWED_BUCKETS: 'files',
    DASHBOARD_PASSWORD: randomText(20, lettersAndDigits),
  }
}

function randomText(length: number, alphabet: string): string {
  return Array.from({ length }, () => alphabet[randomInt(alphabet.length)]).join('')
}

async function readIfThere(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

/**
 * Publishes the file completely and durably, or not at all. Never overwrites an existing file: link fails
 * where rename would not. Resolves with whether this call created the file.
 */
async function publish(file: string, text: string): Promise<boolean> {
  const folder = dirname(file)
  await mkdir(folder, { recursive: true, mode: privateFolder })
  const draft = join(folder, `.bucketry.env.${randomUUID()}`)
  try {
    await writeFile(draft, text, { flag: 'wx', mode: 0o600, flush: true })
    await link(draft, file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  } finally {
    // If the draft could not be created, there is nothing to remove.
    await unlink(draft).catch(() => undefined)
  }
  // The folder may be a symbolic link.
  await syncFolderAt(await realpath(folder))
  return true
}
