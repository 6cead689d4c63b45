import { type Command, UsageError } from './command.ts'
import { settingFlags } from './parse-command-line.ts'

type Shell = 'bash' | 'zsh' | 'fish'

/** Words that the shells complete. Where no word matches, the shells complete file names. */
interface Words {
  readonly commands: readonly Command[]
  /** Flags, with their dashes. */
  readonly flags: readonly string[]
}

const scripts: Readonly<Record<Shell, (words: Words) => string>> = {
  bash: bashScript,
  zsh: zshScript,
  fish: fishScript,
}

/** @throws UsageError when the shell is not known. */
export function completionScript(shell: string, commands: readonly Command[]): string {
  const script = Object.hasOwn(scripts, shell) ? scripts[shell as Shell] : undefined
  if (script === undefined) {
    throw new UsageError(`${JSON.stringify(shell)} is not bash, zsh or fish.`)
  }
  const common = ['--bucket', '--folder', '--help', '--version']
  const flags = settingFlags.flatMap(({ flag }) => [`--${flag}`, `--${flag}-file`])
  return script({ commands, flags: [...common, ...flags] })
}

function ownFlags({ options = {} }: Command): string[] {
  return Object.keys(options).map((name) => `--${name}`)
}

function bashScript({ commands, flags }: Words): string {
  const cases = commands
    .filter((command) => ownFlags(command).length > 0)
    .map((command) => `    ${command.name}) words="$words ${ownFlags(command).join(' ')}" ;;`)
  return `# bucketry completion for bash
_bucketry() {
  local current=\${COMP_WORDS[COMP_CWORD]} words="${flags.join(' ')}"
  case \${COMP_WORDS[1]} in
${cases.join('\n')}
  esac
  if [[ $current == -* ]]; then
    COMPREPLY=($(compgen -W "$words" -- "$current"))
  elif ((COMP_CWORD == 1)); then
    COMPREPLY=($(compgen -W "${commands.map(({ name }) => name).join(' ')}" -- "$current"))
  fi
}
complete -o default -F _bucketry bucketry
`
}

function zshScript({ commands, flags }: Words): string {
  const described = commands.map(({ name, summary }) => `    ${quoted(`${name}:${summary}`)}`)
  const cases = commands
    .filter((command) => ownFlags(command).length > 0)
    .map((command) => `    ${command.name}) flags+=(${ownFlags(command).join(' ')}) ;;`)
  return `#compdef bucketry
# bucketry completion for zsh
_bucketry() {
  local -a commands flags
  commands=(
${described.join('\n')}
  )
  flags=(${flags.join(' ')})
  case $words[2] in
${cases.join('\n')}
  esac
  if [[ $PREFIX == -* ]]; then
    compadd -- $flags
  elif ((CURRENT == 2)); then
    _describe command commands
    _files
  else
    _files
  fi
}
compdef _bucketry bucketry
`
}

function fishScript({ commands, flags }: Words): string {
  const isFirst = "'__fish_is_nth_token 1'"
  const lines = commands.flatMap((command) => [
    `complete -c bucketry -n ${isFirst} -a ${command.name} -d ${quoted(command.summary)}`,
    ...ownFlags(command).map(
      (flag) =>
        `complete -c bucketry -n '__fish_seen_subcommand_from ${command.name}' -l ${flag.slice(2)}`,
    ),
  ])
  const common = flags.map((flag) => `complete -c bucketry -l ${flag.slice(2)}`)
  return `# bucketry completion for fish\n${[...lines, ...common].join('\n')}\n`
}

/** Quotes a text for a shell, in single quotes. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}
