import { resolve } from 'node:path'
import { readBoundedFile } from '../../../../platform/process/bounded-file.ts'
import { DriveError } from '../../../../storage/drives/drive-error.ts'
import {
  type GoogleCredentials,
  parseServiceAccount,
} from '../../../../storage/drives/google/api/credentials.ts'
import { GoogleApi } from '../../../../storage/drives/google/api/google-api.ts'
import {
  type GoogleEndpoints,
  googleEndpoints,
} from '../../../../storage/drives/google/api/google-context.ts'
import type { Account } from '../../../../storage/drives/google/api/google-file.ts'
import { readSettingsFile, writeSettingsFile } from '../../../settings/settings-file.ts'
import { provideSettings, settingsFileIn } from '../../../start/first-start.ts'
import { type CommandCall, ConnectError, UsageError } from '../../command.ts'
import { type GoogleRemote, googleRemote, readRcloneRemote } from '../rclone/google-remote.ts'
import { openTerminal, type Terminal } from '../terminal.ts'
import { askConsent } from './ask-consent.ts'

export interface ConnectOptions {
  readonly terminal: Terminal
  readonly environment: Readonly<Record<string, string | undefined>>
  /** The path of the settings file. Default: bucketry.env in DATA_DIR. */
  readonly file: string | undefined
  /** The drive's name, such as ARCHIVE for DRIVE_ARCHIVE. Default: the default drive. */
  readonly drive?: string | undefined
  /** The local port for the browser's redirect; 0 for a free one. */
  readonly port: number
  /** The rclone remote whose credentials to use instead of asking for consent. */
  readonly rclone: { readonly remote: string; readonly config: string | undefined } | undefined
  readonly endpoints?: GoogleEndpoints & { readonly authorize: string }
}

type Values = Readonly<Record<string, string | undefined>>

const realEndpoints = {
  ...googleEndpoints,
  authorize: 'https://accounts.google.com/o/oauth2/v2/auth',
}

/**
 * Gets credentials for a user's Google Drive, writes them to the settings file and tests them.
 *
 * @throws ConnectError when one of these steps fails.
 */
export async function connectGoogle(options: ConnectOptions): Promise<void> {
  const { terminal, rclone, drive, endpoints = realEndpoints } = options
  const { path, hint } = await settingsFile(options)
  // As at a start, the environment takes precedence.
  const given = Object.entries(options.environment).filter(([, value]) => value)
  const known = { ...(await readSettingsFile(path)), ...Object.fromEntries(given) }
  const { settings, notes } =
    rclone === undefined
      ? await askedSettings(options, known)
      : await takenSettings(rclone, options.environment)
  // A token from rclone may have expired, so it is tested first. A new consent is kept even if a later step fails.
  const account = rclone === undefined ? undefined : await tried(settings, endpoints)
  const written = namedFor(drive, settings)
  await writeSettingsFile(path, written)
  const names = Object.entries(written).filter(([, value]) => value !== undefined)
  terminal.say(`Written to ${path}: ${names.map(([name]) => name).join(', ')}.`)
  for (const note of [...notes, ...hint, ...overruled(written, options)]) terminal.say(note)
  terminal.say(account ?? (await tried(settings, endpoints)))
  terminal.say(nextStep({ ...known, ...written }, drive))
}

/** The settings with the drive's name appended to their names. */
function namedFor(drive: string | undefined, settings: Values): Values {
  if (drive === undefined) return settings
  const entries = Object.entries(settings).map(([name, value]) => [`${name}_${drive}`, value])
  return Object.fromEntries(entries)
}

function overruled(settings: Values, { environment }: ConnectOptions): string[] {
  const names = Object.keys(settings).filter((name) => {
    return environment[name] && environment[name] !== settings[name]
  })
  return names.map(
    (name) => `${name} is also set in the environment, which takes precedence: change it there.`,
  )
}

/** The settings file that the server reads. If it is missing, it is created with access keys. */
async function settingsFile({ file, environment }: ConnectOptions) {
  if (file !== undefined) return { path: resolve(file), hint: [] }
  const first = await provideSettings(environment)
  const path = settingsFileIn(environment)
  const hint = `ACCESS_KEY or other settings are set in the environment, so Bucketry does not read ${path}: set the same values there.`
  return { path, hint: first.file === undefined ? [hint] : [] }
}

async function askedSettings(options: ConnectOptions, known: Values): Promise<GoogleRemote> {
  const { terminal, port, drive, endpoints = realEndpoints } = options
  const ask = async (name: string, question: string) => {
    // One OAuth client may be used for several accounts.
    const answer = known[`${name}_${drive}`] || known[name] || (await terminal.ask(question))
    if (answer !== '') return answer
    throw new ConnectError('A client is required: docs/google-drive.md explains how to create one.')
  }
  const clientId = await ask('GDRIVE_CLIENT_ID', 'Client ID: ')
  const clientSecret = await ask('GDRIVE_CLIENT_SECRET', 'Client secret: ')
  const refreshToken = await askConsent({
    terminal,
    authorizeUrl: endpoints.authorize,
    tokenUrl: endpoints.token,
    clientId,
    clientSecret,
    port,
  })
  return {
    settings: {
      GDRIVE_CLIENT_ID: clientId,
      GDRIVE_CLIENT_SECRET: clientSecret,
      GDRIVE_REFRESH_TOKEN: refreshToken,
      GDRIVE_SERVICE_ACCOUNT: undefined,
    },
    notes: [],
  }
}

async function takenSettings(
  { remote, config }: NonNullable<ConnectOptions['rclone']>,
  environment: ConnectOptions['environment'],
): Promise<GoogleRemote> {
  // Users of rclone write a remote's name with a colon.
  const name = remote.replace(/:$/, '')
  const { GDRIVE_CLIENT_ID: id, GDRIVE_CLIENT_SECRET: secret } = environment
  const client = id && secret ? { id, secret } : undefined
  return googleRemote(name, await readRcloneRemote(name, config, environment), client)
}

async function tried(settings: Values, endpoints: GoogleEndpoints): Promise<string> {
  const api = new GoogleApi({ credentials: await credentialsIn(settings), endpoints })
  try {
    return accountText(await api.about())
  } catch (cause) {
    if (!(cause instanceof DriveError)) throw cause
    throw new ConnectError(`The credentials do not work yet. ${cause.message}`, { cause })
  } finally {
    await api.close()
  }
}

async function credentialsIn(settings: Values): Promise<GoogleCredentials> {
  const { GDRIVE_SERVICE_ACCOUNT: path, GDRIVE_CLIENT_ID: clientId = '' } = settings
  if (path !== undefined) return await serviceAccountIn(path)
  const { GDRIVE_CLIENT_SECRET: clientSecret = '', GDRIVE_REFRESH_TOKEN: refreshToken = '' } =
    settings
  return { kind: 'refresh-token', clientId, clientSecret, refreshToken }
}

async function serviceAccountIn(path: string): Promise<GoogleCredentials> {
  try {
    return parseServiceAccount(readBoundedFile(path).toString())
  } catch (cause) {
    const why = cause instanceof SyntaxError ? cause.message : (cause as NodeJS.ErrnoException).code
    throw new ConnectError(`${path}: ${why}`, { cause })
  }
}

function accountText({ emailAddress = 'the account', limitBytes, usageBytes }: Account): string {
  const used = `${gigabytes(usageBytes)} GB`
  const space =
    limitBytes === undefined ? `${used} used` : `${used} of ${gigabytes(limitBytes)} GB used`
  return `Connected to Google Drive as ${emailAddress}: ${space}.`
}

function gigabytes(bytes: number): string {
  return (bytes / 1e9).toFixed(1)
}

function nextStep(values: Values, drive: string | undefined): string {
  const setting = drive === undefined ? 'DRIVE' : `DRIVE_${drive}`
  const location = values[setting]
  if (location?.startsWith('gdrive:')) return `${setting} is ${location}: start Bucketry.`
  const bucket = drive === undefined ? '' : `, write BUCKET@${drive} in ALLOWED_BUCKETS,`
  return `Now set ${setting}=gdrive:FOLDER, the path or ID of a folder in Google Drive${bucket || ','} and start Bucketry.`
}

/** Connects Bucketry to a cloud drive, as described in docs/google-drive.md. */
export async function connectCommand({
  environment,
  operands,
  options,
}: CommandCall): Promise<number> {
  if (operands[0] !== 'google') {
    throw new UsageError(`${JSON.stringify(operands[0])} cannot be connected: expected google.`)
  }
  const port = String(options['redirect-port'] ?? '0')
  if (!/^\d{1,5}$/.test(port) || Number(port) > 65_535) {
    throw new UsageError(
      `--redirect-port is ${JSON.stringify(port)}: expected a number from 0 to 65535.`,
    )
  }
  const text = (name: string) => {
    const value = options[name]
    return typeof value === 'string' ? value : undefined
  }
  const remote = text('from-rclone')
  // `--drive` is also the flag of the setting DRIVE: a location contains a colon, a name does not.
  const { DRIVE: drive, ...others } = environment
  const isName = drive !== undefined && /^[A-Z][A-Z0-9_]*$/.test(drive)
  const terminal = openTerminal(process.stdin, process.stdout)
  try {
    await connectGoogle({
      ...(isName ? { environment: others, drive } : { environment }),
      terminal,
      file: text('file'),
      port: Number(port),
      rclone: remote === undefined ? undefined : { remote, config: text('config') },
    })
    return 0
  } finally {
    terminal.close()
  }
}
