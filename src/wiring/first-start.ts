import { randomInt, randomUUID } from 'node:crypto'
import { link, mkdir, open, readFile, unlink } from 'node:fs/promises'
import { dirname, join, resolve, sep } from 'node:path'
import { formatEnvFile, parseEnvFile } from './settings/env-file.ts'
import { type Environment, isGiven } from './settings/read-settings.ts'
import { SettingsError } from './settings/setting.ts'

/** With any of these set, the person has configured it and nothing is generated. */
const ownSettings = ['ACCESS_KEY', 'SECRET_KEY', 'ALLOWED_BUCKETS', 'DASHBOARD_PASSWORD'] as const

const folderName = 'data'
const fileName = join(folderName, 'bucketry.env')
/** Keys, sessions and objects are nobody else's on this machine. */
const privateFolder = 0o700
const comment = 'Made by Bucketry at its first start. Keep it secret. Read again at every start.'

const upperCaseAndDigits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789'
const lettersAndDigits = `${upperCaseAndDigits}abcdefghijklmnopqrstuvwxyz`

export interface FirstStart {
  /** The environment with what was generated, now or at an earlier start. */
  readonly environment: Environment
  /** The file the generated settings are kept in; undefined when the person configured it. */
  readonly file: string | undefined
  /** Whether the file was made right now. */
  readonly isNew: boolean
  /** What the file says; nothing where there is none. */
  readonly kept: Environment
}

/**
 * Serves a person who has configured nothing: keys, a dashboard password and one bucket are
 * generated once and kept in data/bucketry.env below `folder`. Several processes that start at once
 * agree on the same file.
 *
 * @throws SettingsError when the file can't be read or written.
 */
export async function provideSettings(
  environment: Environment,
  folder = process.cwd(),
): Promise<FirstStart> {
  if (isConfigured(environment)) {
    return { environment, file: undefined, isNew: false, kept: {} }
  }
  const file = resolve(folder, fileName)
  try {
    const kept = await readIfThere(file)
    const isNew = kept === undefined && (await publish(file, generatedText()))
    const values = parseEnvFile(kept ?? (await readFile(file, 'utf8')))
    return { environment: joined(environment, values), file, isNew, kept: values }
  } catch (cause) {
    throw unusable(file, cause)
  }
}

/**
 * The environment of now with what the file says now. A file that is gone is not made again.
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

/** What the environment sets wins; what it sets to nothing counts as unset. */
function joined(environment: Environment, values: Environment): Environment {
  const given = Object.entries(environment).filter(([, value]) => value !== '')
  return { ...values, ...Object.fromEntries(given) }
}

/** Makes the folder that the defaults of the settings lie in, if any of these paths is in it. */
export async function makeDataFolder(
  paths: readonly string[],
  folder = process.cwd(),
): Promise<void> {
  const path = resolve(folder, folderName)
  if (!paths.some((one) => one.startsWith(`${path}${sep}`))) return
  // Where it can't be made, whatever needs it says why.
  await mkdir(path, { recursive: true, mode: privateFolder }).catch(() => undefined)
}

/**
 * The environment with what an earlier start generated. Generates nothing: for commands that are run
 * beside a gateway.
 *
 * @throws SettingsError when the file can't be read.
 */
export async function keptSettings(
  environment: Environment,
  folder = process.cwd(),
): Promise<Environment> {
  if (isConfigured(environment)) return environment
  const file = resolve(folder, fileName)
  try {
    const text = await readIfThere(file)
    return text === undefined ? environment : joined(environment, parseEnvFile(text))
  } catch (cause) {
    throw unusable(file, cause)
  }
}

function isConfigured(environment: Environment): boolean {
  return ownSettings.some((name) => isGiven(environment, name))
}

function unusable(file: string, cause: unknown): SettingsError {
  const { code } = cause as NodeJS.ErrnoException
  return new SettingsError([
    `${file} can't be read or written (${code}): expected a folder where this program may keep its keys, or ACCESS_KEY, SECRET_KEY and ALLOWED_BUCKETS to be set`,
  ])
}

/** In the look of AWS's keys, so that every client takes them; all of it safe in a shell. */
function generatedText(): string {
  return formatEnvFile(comment, {
    ACCESS_KEY: `AK${randomText(18, upperCaseAndDigits)}`,
    SECRET_KEY: randomText(40, lettersAndDigits),
    ALLOWED_BUCKETS: 'files',
    DASHBOARD_PASSWORD: randomText(20, lettersAndDigits),
  })
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
 * Makes the file appear whole and durable, or not at all; never overwrites one (link fails where
 * rename would not). Resolves with whether it is ours.
 */
async function publish(file: string, text: string): Promise<boolean> {
  const folder = dirname(file)
  await mkdir(folder, { recursive: true, mode: privateFolder })
  const draft = join(folder, `.bucketry.env.${randomUUID()}`)
  try {
    await writeDurably(draft, text)
    await link(draft, file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  } finally {
    // Where even the draft could not be made there is nothing to remove.
    await unlink(draft).catch(() => undefined)
  }
  await syncFolder(folder)
  return true
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
