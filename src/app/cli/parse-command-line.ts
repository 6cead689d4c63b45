import { existsSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { nearestName } from '../settings/nearest-name.ts'
import type { Environment, Setting } from '../settings/setting.ts'
import { settingsTable } from '../settings/tables/settings-table.ts'
import { type Command, type CommandCall, UsageError } from './command.ts'

/** The result of a valid command line. */
export interface ParsedCommandLine {
  readonly command: Command
  readonly operands: readonly string[]
  /** Settings from flags, by the settings' names. */
  readonly settings: Readonly<Record<string, string | undefined>>
  /** The folder to serve, from FOLDER or `--folder`. */
  readonly folder: string | undefined
  /** Values of `--bucket`, which may be repeated. */
  readonly buckets: readonly string[]
  readonly options: CommandCall['options']
  readonly wantsHelp: boolean
  readonly wantsVersion: boolean
}

/** Flags of every command. */
const commonOptions = {
  bucket: { type: 'string', multiple: true },
  folder: { type: 'string' },
  help: { type: 'boolean', short: 'h' },
  version: { type: 'boolean', short: 'V' },
} as const

/** `minio gateway nas /path` of MinIO before 2022. */
const noGateway =
  'There is no command gateway. Serve a folder with: bucketry serve FOLDER. For another S3 service or a WebDAV server, set DRIVE.'

/**
 * Parses the arguments after the program's name. If they name no command, the first command is used:
 * `bucketry ~/files` is `bucketry serve ~/files`. The word `minio` before the command is ignored: images of MinIO take
 * `minio server /data` as the command of a service.
 *
 * @throws UsageError with a user-facing message.
 */
export function parseCommandLine(
  args: readonly string[],
  commands: readonly Command[],
): ParsedCommandLine {
  const given = args[0] === 'minio' && args.length > 1 ? args.slice(1) : args
  if (given[0] === 'gateway' && given.length > 1) throw new UsageError(noGateway)
  const { command, rest } = commandIn(given, commands)
  const { values, positionals } = parse(rest, command)
  const { bucket = [], folder, help = false, version = false, ...others } = values
  const settings = environmentOf(others)
  const wantsHelp = help === true
  if (!wantsHelp) checkOperands(command, positionals)
  const operand = command.takesFolder === true ? positionals[0] : undefined
  const named = operand ?? (folder === undefined ? undefined : String(folder))
  if (!wantsHelp && named !== undefined) checkFolder(named)
  // `rest === given`: no command is named.
  if (!wantsHelp && operand !== undefined && rest === given) checkNoCommand(operand, commands)
  const buckets = Array.isArray(bucket) ? bucket.map(String) : []
  checkDoubles([
    ['--bucket', buckets.length > 0, '--allowed-buckets', settings.ALLOWED_BUCKETS !== undefined],
    ['FOLDER', operand !== undefined, '--folder', folder !== undefined],
    ['FOLDER', named !== undefined, '--drive', settings.DRIVE !== undefined],
  ])
  return {
    command,
    operands: positionals,
    folder: named,
    settings,
    buckets,
    options: Object.fromEntries(
      Object.entries(others).filter(([name]) => !(name in settingOptions)),
    ) as ParsedCommandLine['options'],
    wantsHelp,
    wantsVersion: version === true,
  }
}

type Double = readonly [one: string, hasOne: boolean, other: string, hasOther: boolean]

/** @throws UsageError when two arguments set the same thing. */
function checkDoubles(doubles: readonly Double[]): void {
  for (const [one, hasOne, other, hasOther] of doubles) {
    if (!hasOne || !hasOther) continue
    throw new UsageError(`${one} and ${other} are both given: use only one of them.`)
  }
}

function commandIn(args: readonly string[], commands: readonly Command[]) {
  const [first] = args
  const named = commands.find(({ name }) => name === first)
  const [fallback] = commands
  if (fallback === undefined) throw new Error('there are no commands')
  return named === undefined
    ? { command: fallback, rest: args }
    : { command: named, rest: args.slice(1) }
}

/** @throws UsageError for a drive's address and for an empty shell variable, which would be the working directory. */
function checkFolder(folder: string): void {
  if (folder === '') throw new UsageError('FOLDER is empty: write . for the working directory.')
  // The address is not shown, because it may contain a password.
  if (/^(file:|gdrive:|memory:|webdav\+)/.test(folder)) {
    throw new UsageError(
      'FOLDER is the address of a drive: give it with --drive, or write ./ before the folder.',
    )
  }
}

/** @throws UsageError for a misspelled command, or one after options: it would be served as a new folder. */
function checkNoCommand(folder: string, commands: readonly Command[]): void {
  const near = nearestName(
    folder,
    commands.map(({ name }) => name),
  )
  if (near === undefined || (near !== folder && existsSync(folder))) return
  throw new UsageError(
    near === folder
      ? `${near} is a command: write it before the options, or ./${near} for the folder.`
      : `${JSON.stringify(folder)} is not a folder. Did you mean the command ${near}? Write ./${folder} for a new folder.`,
  )
}

function parse(args: readonly string[], { options: own = {} }: Command) {
  const ownOptions = Object.fromEntries(
    Object.entries(own).map(([name, { type, isRepeated = false }]) => [
      name,
      { type, multiple: isRepeated },
    ]),
  )
  const options = { ...settingOptions, ...commonOptions, ...ownOptions }
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true })
  } catch (error) {
    throw new UsageError(mistakeText(error as NodeJS.ErrnoException, Object.keys(options)))
  }
}

/** Replaces Node's own text, which explains how to write arguments that begin with a dash. */
function mistakeText({ code, message }: NodeJS.ErrnoException, known: readonly string[]): string {
  const flag = /'(?:-\w, )?--?([^' ]+)/.exec(message)?.[1] ?? ''
  if (code === 'ERR_PARSE_ARGS_UNKNOWN_OPTION') {
    const near = nearestName(flag, known)
    return `--${flag} is not an option.${near === undefined ? '' : ` Did you mean --${near}?`}`
  }
  return message.split('\n')[0] ?? message
}

function checkOperands({ name, operands, count }: Command, given: readonly string[]): void {
  const [min, max] = count
  if (given.length >= min && given.length <= max) return
  const extra = given[max]
  const what = extra === undefined ? 'an argument is missing' : `what is ${JSON.stringify(extra)}?`
  throw new UsageError(`${what}\nusage: bucketry ${name} ${operands}`.trimEnd())
}

/** A setting as a command-line flag. */
interface SettingFlag {
  /** Without the dashes: `port` for PORT. */
  readonly flag: string
  readonly setting: Setting<unknown>
}

export const settingFlags: readonly SettingFlag[] = Object.values<Setting<unknown>>(
  settingsTable,
).map((setting) => ({ flag: flagOf(setting.name), setting }))

/** `--allowed-buckets` is ALLOWED_BUCKETS, `--secret-key-file` is SECRET_KEY_FILE. */
function flagOf(name: string): string {
  return name.toLowerCase().replaceAll('_', '-')
}

/** The flags of settings, in the form that parseArgs of node:util takes. */
const settingOptions: Readonly<Record<string, { readonly type: 'string' }>> = Object.fromEntries(
  settingFlags.flatMap(({ flag }) => [
    [flag, { type: 'string' }],
    [`${flag}-file`, { type: 'string' }],
  ]),
)

/** The environment variables that the flags stand for. */
function environmentOf(values: Readonly<Record<string, unknown>>): Environment {
  return Object.fromEntries(
    Object.entries(values)
      .filter(([flag]) => flag in settingOptions)
      .map(([flag, value]) => [flag.toUpperCase().replaceAll('-', '_'), String(value)]),
  )
}

/**
 * The environment with the flags applied, which take precedence. A flag replaces both forms of its setting,
 * NAME and NAME_FILE.
 */
export function withFlags(environment: Environment, flags: Environment): Environment {
  const joined: Record<string, string | undefined> = { ...environment }
  for (const { setting } of settingFlags) {
    const forms = [setting.name, `${setting.name}_FILE`]
    if (forms.every((form) => flags[form] === undefined)) continue
    for (const form of forms) joined[form] = flags[form]
  }
  return joined
}
