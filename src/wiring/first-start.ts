import { randomInt, randomUUID } from 'node:crypto'
import { link, mkdir, open, readFile, unlink } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { formatEnvFile, parseEnvFile } from './settings/env-file.ts'
import { type Environment, isGiven } from './settings/read-settings.ts'
import { SettingsError } from './settings/setting.ts'

/** With any of these set, the person has configured it and nothing is generated. */
const ownSettings = ['ACCESS_KEY', 'SECRET_KEY', 'ALLOWED_BUCKETS', 'DASHBOARD_PASSWORD'] as const

const fileName = 'data/stowage.env'
const comment = 'Made by Stowage at its first start. Keep it secret. Read again at every start.'

const upperCaseAndDigits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789'
const lettersAndDigits = `${upperCaseAndDigits}abcdefghijklmnopqrstuvwxyz`

export interface FirstStart {
  /** The environment with what was generated, now or at an earlier start. */
  readonly environment: Environment
  /** The file the generated settings are kept in; undefined when the person configured it. */
  readonly file: string | undefined
  /** Whether the file was made right now. */
  readonly isNew: boolean
}

/**
 * Serves a person who has configured nothing: keys, a dashboard password and one bucket are
 * generated once and kept in data/stowage.env below `folder`. Several processes that start at once
 * agree on the same file.
 *
 * @throws SettingsError when the file can't be read or written.
 */
export async function provideSettings(
  environment: Environment,
  folder = process.cwd(),
): Promise<FirstStart> {
  if (ownSettings.some((name) => isGiven(environment, name))) {
    return { environment, file: undefined, isNew: false }
  }
  const file = resolve(folder, fileName)
  try {
    const kept = await readIfThere(file)
    const isNew = kept === undefined && (await publish(file, generatedText()))
    const text = kept ?? (await readFile(file, 'utf8'))
    // What the environment sets wins; what it sets to nothing counts as unset.
    const given = Object.entries(environment).filter(([, value]) => value !== '')
    return { environment: { ...parseEnvFile(text), ...Object.fromEntries(given) }, file, isNew }
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException
    throw new SettingsError([
      `${file} can't be read or written (${code}): expected a folder where this program may keep its keys, or ACCESS_KEY, SECRET_KEY and ALLOWED_BUCKETS to be set`,
    ])
  }
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
  await mkdir(folder, { recursive: true })
  const draft = join(folder, `.stowage.env.${randomUUID()}`)
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
