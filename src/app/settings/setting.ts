import type { CompatibilityMode } from '../../storage/s3/compatibility.ts'

/** A row of the settings table. The program, its messages and docs/configuration.md use it. */
export interface Setting<Value> {
  readonly name: string
  /**
   * The value of an unset setting, in the form a user would write. `./data` in it stands for DATA_DIR. Absent: the
   * setting has no default.
   */
  readonly default?: string
  /** The default with COMPATIBILITY=aws, if it differs. */
  readonly defaultInAws?: string
  /** What happens when unset, if that is not `default`. For the documentation. */
  readonly whenUnset?: string
  readonly meaning: string
  /** Whether the value must never be shown in messages or logs. */
  readonly isSecret?: true
  /** Each named drive has it, with `_NAME` behind its name. */
  readonly isOfEachDrive?: true
  /** @throws SettingMistake when the text is not valid. */
  readonly parse: (text: string) => Value
}

/** The settings that the defaults of other settings depend on. */
export interface DefaultSource {
  readonly dataDir: string
  readonly compatibility: CompatibilityMode
}

/** The default, with the value of DATA_DIR. */
export function defaultText(
  { default: always, defaultInAws = always }: Setting<unknown>,
  { dataDir, compatibility }: DefaultSource,
): string | undefined {
  const text = compatibility === 'aws' ? defaultInAws : always
  return text?.replace('./data', () => dataDir)
}

const shownCharacters = 120

/**
 * A value for a message: anything that may be a password in a URL is removed, and long values are cut. A password may
 * contain unescaped `/` and `@`, and the `@` after it may be missing, so text in the position of a port that is not a
 * number also counts as a password. A query or fragment may contain a key.
 */
export function shown(text: string): string {
  const withoutPassword = text
    .replace(/:(\/\/)?.*@/s, ':$1…@')
    .replace(/(:\/\/[^/:@[]*):(?!\d{1,5}(?:[/?#]|$)).*$/s, '$1:…')
    .replace(/((?:\w:|\/\/)[^?#]*[?#]).*$/s, '$1…')
  return JSON.stringify(
    withoutPassword.length > shownCharacters
      ? `${withoutPassword.slice(0, shownCharacters)}…`
      : withoutPassword,
  )
}

export type Environment = Readonly<Record<string, string | undefined>>

/** A copy of the current environment. Nothing else reads it (docs/configuration.md). */
export function currentEnvironment(): Environment {
  return { ...process.env }
}

/** Whether a setting has a value, directly or in a file. */
export function isGiven(environment: Environment, name: string): boolean {
  return hasValue(environment[name]) || hasValue(environment[`${name}_FILE`])
}

export function hasValue(text: string | undefined): text is string {
  return text !== undefined && text !== ''
}
