import { packageVersion } from '../../platform/process/package-folder.ts'
import { type Command, UsageError } from './command.ts'
import { settingFlags } from './parse-command-line.ts'

/** Lines are wrapped at this column: terminals are usually at least this wide. */
const width = 100
const flagWidth = 30

/**
 * The help of the program, or of one command.
 *
 * @throws UsageError when there is no command with that name.
 */
export function helpText(commands: readonly Command[], name?: string): string {
  if (name === undefined) return generalHelp(commands)
  const command = commands.find((one) => one.name === name)
  if (command === undefined) throw new UsageError(`${JSON.stringify(name)} is not a command.`)
  return commandHelp(command)
}

function generalHelp(commands: readonly Command[]): string {
  const rows = commands.map(({ name, operands, summary }) =>
    row(`${name} ${operands}`.trim(), summary),
  )
  return [
    'Bucketry serves an S3 endpoint for a folder, Google Drive, WebDAV or Nextcloud.',
    '',
    'usage: bucketry [FOLDER] [options]',
    '       bucketry COMMAND [options]',
    '',
    'Commands:',
    ...rows,
    '',
    'Options:',
    row('--bucket NAME', 'A bucket to serve, created if missing. Repeat it for more buckets.'),
    row('--folder FOLDER', 'The same as FOLDER, for all commands.'),
    row('-h, --help', 'Print the help.'),
    row('-V, --version', 'Print the version.'),
    '',
    'Settings, as options or as environment variables: --port 9001 is PORT=9001.',
    'Each setting can be read from a file: --secret-key-file FILE is SECRET_KEY_FILE=FILE. Use that for',
    'secrets, because other users of this machine can see the command line.',
    '',
    ...settingFlags.map(({ flag, setting }) => {
      const unset = setting.default === '' ? undefined : (setting.whenUnset ?? setting.default)
      const when = unset === undefined ? '' : ` Default: ${unset}.`
      return row(`--${flag}`, `${setting.meaning}${when}`.replaceAll('`', ''))
    }),
    '',
    'Exit status: 0 success, 1 the server cannot start or a check failed, 2 invalid command line.',
    '',
  ].join('\n')
}

function commandHelp({ name, operands, summary, options = {}, details = [] }: Command): string {
  const rows = Object.entries(options).map(([flag, { value, meaning }]) =>
    row(`--${flag}${value === undefined ? '' : ` ${value}`}`, meaning),
  )
  return [
    summary,
    '',
    `usage: bucketry ${name} ${operands}`.trimEnd(),
    ...(rows.length > 0 ? ['', ...rows] : []),
    ...(details.length > 0 ? ['', ...details] : []),
    '',
    'Settings are also options: see bucketry --help.',
    '',
  ].join('\n')
}

/** A row of two columns; the second one is wrapped. */
function row(left: string, right: string): string {
  const lines: string[] = []
  let line = ''
  for (const word of right.split(' ')) {
    if (line !== '' && line.length + 1 + word.length > width - flagWidth - 2) {
      lines.push(line)
      line = word
    } else {
      line = line === '' ? word : `${line} ${word}`
    }
  }
  lines.push(line)
  const indent = ' '.repeat(flagWidth + 2)
  const first = left.length < flagWidth ? `  ${left.padEnd(flagWidth)}` : `  ${left}\n${indent}`
  return first + lines.join(`\n${indent}`)
}

/** The versions of the program, Node.js and the platform, for bug reports. */
export function versionText(): string {
  return `bucketry ${packageVersion()} (Node.js ${process.versions.node}, ${process.platform} ${process.arch})`
}
