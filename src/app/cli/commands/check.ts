import { constants, existsSync, readdirSync } from 'node:fs'
import { access, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { SettingsError } from '../../../platform/process/setting-mistake.ts'
import { withinTime } from '../../../platform/process/time-limit.ts'
import { missingMigrations, openDatabase } from '../../../platform/state/open-database.ts'
import { kindOf } from '../../settings/drive-kinds.ts'
import { existingPartOf } from '../../settings/location-mistakes.ts'
import { type DriveSettings, nameOfDrive } from '../../settings/own-drives.ts'
import { readSettings, type Settings } from '../../settings/read-settings.ts'
import type { Environment } from '../../settings/setting.ts'
import { shownDatabase } from '../../settings/shown-settings.ts'
import { settingsWarnings } from '../../settings/warnings.ts'
import { openDrive } from '../../start/drives/open-drive.ts'
import {
  generatedSettings,
  isConfigured,
  keptSettings,
  settingsFileIn,
  withBuckets,
} from '../../start/first-start.ts'
import { checkAccessLog } from '../../telemetry/access-log/open-access-log.ts'
import { createLog, type Log } from '../../telemetry/log.ts'
import type { CommandCall } from '../command.ts'
import { type DataHome, dataFolders, homeFolder } from '../folder-buckets.ts'

export interface CheckOutput {
  /** Reports the result of each check as a line. */
  say(line: string): void
  /** Receives the warnings of the drive. */
  writeLog(line: string): void
}

/** A drive that takes longer counts as not responding. */
const driveTimeoutMs = 60_000

/** Prints a line for each part that works. Fails at the first problem, and if no gateway has been started here. */
export async function checkCommand(call: CommandCall): Promise<number> {
  const isThere = await check(call, {
    say: (line) => void process.stdout.write(`${line}\n`),
    writeLog: (line) => void process.stderr.write(line),
  })
  if (isThere) return 0
  const where = { home: homeFolder, dataHome: call.environment.XDG_DATA_HOME }
  process.stderr.write(nothingText(otherInstallations(where)))
  return 1
}

/**
 * Checks settings, access log, database and drive. Changes nothing, except that a WebDAV server is probed with files
 * that are removed again.
 *
 * @returns true if everything exists, or with `--create`
 * @throws SettingsError, DatabaseError or DriveError with a user-facing message about the first problem.
 */
export async function check(
  { environment, buckets, options, warnings = [] }: CommandCall,
  { say, writeLog }: CheckOutput,
): Promise<boolean> {
  // Before the first start, files may be missing: the start creates them.
  const isBeforeStart = options.create === true
  const kept = await keptSettings(environment)
  const isKnown = isConfigured(kept)
  // The settings that the first start would generate.
  const known = isKnown ? kept : { ...kept, ...generatedSettings() }
  const settings = await readSettings(withBuckets(known, buckets))
  const allWarnings = [...warnings, ...settingsWarnings({ settings, environment, kept: {} })]
  for (const text of allWarnings) say(`warning: ${text}`)
  const file = settingsFileIn(environment)
  if (!isKnown && !isBeforeStart) {
    say(`settings: none; ${file} does not exist, and the environment has no keys and buckets`)
    return false
  }
  say(`settings: valid; buckets ${settings.allowedBuckets.join(', ')}`)
  say(`settings file: ${fileText(file, { kept, environment })}`)
  const accessLog = await checkAccessLog(settings)
  if (accessLog !== undefined) say(accessLog)
  const hasDatabase = isThere(settings)
  say(hasDatabase ? await checkDatabase(settings) : `database: ${notYet(shownDatabase(settings))}`)
  const log = createLog('warn', { write: writeLog })
  for (const own of settings.drives) say(await checkDrive(settings, own, log))
  return isBeforeStart || (hasDatabase && settings.drives.every(isDriveThere))
}

function fileText(
  file: string,
  { kept, environment }: { readonly kept: Environment; readonly environment: Environment },
): string {
  if (kept !== environment) return file
  if (!isConfigured(environment)) return notYet(file)
  return existsSync(file)
    ? `none; ${file} is not read, because the environment has keys, buckets or the dashboard's password`
    : 'none; the environment has the settings'
}

function notYet(name: string): string {
  return `${name} does not exist yet; the first start creates it`
}

function isThere({ database }: Settings): boolean {
  return database.kind !== 'sqlite' || existsSync(database.path)
}

function isDriveThere({ drive }: DriveSettings): boolean {
  const folder = kindOf(drive).folder?.(drive)
  return folder === undefined || existsSync(folder)
}

async function checkDatabase(settings: Settings): Promise<string> {
  const name = shownDatabase(settings)
  const missing = await missingMigrations(settings.database)
  return missing === 0
    ? `database: ${name} responds`
    : `database: ${name} responds; the next start migrates it to this version (${missing} migrations)`
}

async function checkDrive(settings: Settings, own: DriveSettings, log: Log): Promise<string> {
  const { name, drive: location } = own
  const what = `${name === '' ? 'drive' : `drive ${name}`}: ${kindOf(location).describe(location)}`
  const folder = kindOf(location).folder?.(location)
  if (folder === undefined) await checkOpened(settings, own, log)
  else {
    const existing = existingPartOf(folder)
    await checkFolder(existing, folder, own)
    if (existing !== folder) return notYet(what)
  }
  return `${what} responds`
}

/**
 * Checks a folder without opening it as a drive, which would create the drive's own folder in it.
 *
 * @param existing the folder itself, or its nearest existing parent, in which the start would create it
 */
async function checkFolder(
  existing: string,
  path: string,
  { name, isReadOnly }: DriveSettings,
): Promise<void> {
  const { R_OK, W_OK, X_OK } = constants
  const isThere = existing === path
  const rights = isReadOnly ? R_OK | X_OK : R_OK | W_OK | X_OK
  try {
    await access(existing, isThere || isReadOnly ? rights : W_OK | X_OK)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    const setting = `${nameOfDrive('drive', name)} is ${path}`
    throw new SettingsError([
      isThere
        ? `${setting}: expected a folder that this user can read and write (${code})`
        : `${setting}, which does not exist and cannot be created: this user cannot write to ${existing} (${code})`,
    ])
  }
}

/** Opens the drive with a temporary database, so that nothing is written to the real one. */
async function checkOpened(settings: Settings, own: DriveSettings, log: Log): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'bucketry-check-'))
  try {
    const location = { kind: 'sqlite', path: join(folder, 'check.db') } as const
    const database = await openDatabase(location, { migrate: true })
    try {
      const opened = await openDrive({
        ...{ settings, own, log, database, purpose: 'check', versioning: undefined, now: Date.now },
        claim: async () => undefined,
      })
      await withinTime(opened.drive.check(), driveTimeoutMs).finally(() => opened.close())
    } finally {
      await database.close()
    }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** DATA_DIR of the unit in deploy/systemd. */
const serviceFolder = '/var/lib/bucketry'

/** The data of other installations on this machine. */
interface OtherInstallations {
  /** DATA_DIR of the systemd service. */
  readonly service: string | undefined
  /** DATA_DIR of folders that were named on the command line. */
  readonly folders: readonly string[]
}

/** Looks for data in the default locations of installations. */
export function otherInstallations(where: DataHome, service = serviceFolder): OtherInstallations {
  return { service: existsSync(service) ? service : undefined, folders: foldersIn(where) }
}

function foldersIn(where: DataHome): string[] {
  try {
    const folder = dataFolders(where)
    return readdirSync(folder)
      .sort()
      .map((name) => join(folder, name))
  } catch {
    // No folder was ever named on the command line, or the user has no home.
    return []
  }
}

/** Advice for when something does not exist. */
export function nothingText({ service, folders }: OtherInstallations): string {
  const found = [
    ...(service === undefined
      ? []
      : [`  ${service}: run DATA_DIR=${service} bucketry check as the user of the service`]),
    ...folders.map((folder) => `  ${folder}: run bucketry check FOLDER with the folder it serves`),
  ]
  return [
    'Not all of this exists: no gateway has been started with these settings, or a disk is not mounted.',
    ...(found.length === 0 ? [] : ['This machine has data of other gateways:', ...found]),
    'To check settings before the first start, add --create.',
    '',
  ].join('\n')
}
