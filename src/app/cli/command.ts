import type { Environment } from '../settings/setting.ts'

/** The arguments of a command. */
export interface CommandCall {
  /** The environment, with the flags of settings applied. */
  readonly environment: Environment
  /** ALLOWED_BUCKETS from `--bucket` or from the folders of FOLDER; undefined: not given there. */
  readonly buckets: string | undefined
  /** Arguments that are not flags, without the name of the command. */
  readonly operands: readonly string[]
  /** Flags of the command itself. */
  readonly options: Readonly<Record<string, CommandOptionValue>>
  /** Warnings about the command line, for the log. */
  readonly warnings?: readonly string[]
}

/** An array for an option that may be repeated. */
type CommandOptionValue = string | boolean | readonly string[] | undefined

/** A flag of one command. */
interface CommandOption {
  readonly type: 'string' | 'boolean'
  /** Whether it may be given more than once. */
  readonly isRepeated?: true
  /** The placeholder of the value in the help. */
  readonly value?: string
  readonly meaning: string
}

/** A row of the table of commands. */
export interface Command {
  readonly name: string
  /** The operands, as the usage line shows them. */
  readonly operands: string
  readonly summary: string
  /** The minimum and the maximum number of operands. */
  readonly count: readonly [min: number, max: number]
  /** Whether its operand is the folder to serve. */
  readonly takesFolder?: true
  readonly options?: Readonly<Record<string, CommandOption>>
  /** Further lines for the help of the command. */
  readonly details?: readonly string[]
  /**
   * Resolves with the exit status; undefined if the process keeps running and exits by itself.
   *
   * @throws SettingsError, DatabaseError, DriveError and others that `failureText` can show.
   */
  run(call: CommandCall): Promise<number | undefined>
}

/** The command line is not valid; the message says why. Exit status 2. */
export class UsageError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'UsageError'
  }
}

/** Connecting failed. The message says what to do and contains no secrets. */
export class ConnectError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'ConnectError'
  }
}
