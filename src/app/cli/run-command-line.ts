import { resolve } from 'node:path'
import { inspect } from 'node:util'
import { SettingsError } from '../../platform/process/setting-mistake.ts'
import { DatabaseError } from '../../platform/state/database.ts'
import { DeclaredKeyError } from '../../storage/access/declared-keys.ts'
import { KeyAdminError } from '../../storage/access/key-admin.ts'
import { KeyInputError } from '../../storage/access/key-input.ts'
import { DriveError } from '../../storage/drives/drive-error.ts'
import { withMinioSettings } from '../settings/minio-settings.ts'
import { currentEnvironment, isGiven } from '../settings/setting.ts'
import { SettingsFileError } from '../settings/settings-file.ts'
import { failureText } from '../start/failure-text.ts'
import { type CommandCall, ConnectError, UsageError } from './command.ts'
import { commands } from './commands.ts'
import type { Terminal } from './connect/terminal.ts'
import {
  bucketsIn,
  confirmNewFolder,
  dataFolderFor,
  homeFolder,
  otherFolderWarnings,
} from './folder-buckets.ts'
import { type ParsedCommandLine, parseCommandLine, withFlags } from './parse-command-line.ts'

/** Exit status if the command line is not valid. */
const usageStatus = 2
/** Errors of which only the message is shown. Other errors are bugs, and their stack is shown. */
const forPeople = [
  SettingsError,
  DatabaseError,
  DriveError,
  ConnectError,
  SettingsFileError,
  KeyAdminError,
  KeyInputError,
  DeclaredKeyError,
]

/** Runs the command that the arguments name. */
export async function runCommandLine(args: readonly string[]): Promise<void> {
  let failureStatus = 1
  try {
    const parsed = parseCommandLine(args, commands)
    // Status 1 of verify means that an object differs.
    if (parsed.command.name === 'verify') failureStatus = 2
    // The reader of standard output, such as `head`, has closed the pipe. A server keeps running.
    const isText = parsed.wantsHelp || parsed.wantsVersion || parsed.command.name !== 'serve'
    if (isText) process.stdout.on('error', () => process.exit(failureStatus))
    const status = await run(parsed)
    if (status !== undefined) process.exitCode = status
  } catch (error) {
    if (error instanceof UsageError) {
      process.stderr.write(`bucketry: ${error.message}\nRun bucketry --help for all options.\n`)
      process.exitCode = usageStatus
      return
    }
    const isForPeople = forPeople.some((kind) => error instanceof kind)
    process.stderr.write(`${isForPeople ? failureText(error) : inspect(error)}\n`)
    process.exitCode = failureStatus
  }
}

async function run(parsed: ParsedCommandLine): Promise<number | undefined> {
  const { command, wantsHelp, wantsVersion } = parsed
  if (wantsVersion) {
    const { versionText } = await import('./help-text.ts')
    process.stdout.write(`${versionText()}\n`)
    return 0
  }
  if (wantsHelp) {
    const { helpText } = await import('./help-text.ts')
    const [first] = commands
    process.stdout.write(helpText(commands, command === first ? undefined : command.name))
    return 0
  }
  await confirmFolder(parsed)
  return await command.run(callOf(parsed))
}

/** @throws UsageError when the folder to serve or check does not exist and the user does not want to create it. */
async function confirmFolder({ command, folder, options }: ParsedCommandLine): Promise<void> {
  if (command.takesFolder !== true || folder === undefined) return
  const canAsk = command.name === 'serve' && process.stdin.isTTY && process.stderr.isTTY
  await confirmNewFolder(folder, {
    creates: options.create === true,
    openTerminal: canAsk ? openOwnTerminal : undefined,
  })
}

async function openOwnTerminal(): Promise<Terminal> {
  const { openTerminal } = await import('./connect/terminal.ts')
  return openTerminal(process.stdin, process.stderr)
}

function callOf({ operands, folder, settings, buckets, options }: ParsedCommandLine): CommandCall {
  const named = buckets.length > 0 ? buckets.join(',') : settings.ALLOWED_BUCKETS
  const { ALLOWED_BUCKETS: _, ...flags } = settings
  const { environment, warnings } = withMinioSettings(withFlags(currentEnvironment(), flags))
  const call = { environment, buckets: named, operands, options, warnings }
  return folder === undefined ? call : withFolder(call, folder)
}

/** Serves the folder, with its subfolders as buckets unless buckets are named. */
function withFolder(call: CommandCall, folder: string): CommandCall {
  const environment: Record<string, string | undefined> = { ...call.environment }
  environment.DRIVE = `file:${resolve(folder)}`
  environment.DRIVE_FILE = undefined
  if (!isGiven(environment, 'DATA_DIR')) {
    environment.DATA_DIR = dataFolderFor(folder, {
      home: homeFolder,
      dataHome: environment.XDG_DATA_HOME,
    })
  }
  if (call.buckets !== undefined || isGiven(environment, 'ALLOWED_BUCKETS')) {
    return { ...call, environment }
  }
  const { buckets, others } = bucketsIn(folder)
  return {
    ...call,
    environment,
    buckets: buckets.length === 0 ? undefined : buckets.join(','),
    warnings: [...(call.warnings ?? []), ...otherFolderWarnings(others)],
  }
}
