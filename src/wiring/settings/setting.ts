/** One setting: a row of the table that the program, its messages and docs/configuration.md share. */
export interface Setting<Value> {
  readonly name: string
  /** Stands for an unset value, in the form a person would write. Absent: the setting may be unset. */
  readonly default?: string
  /** Says what happens when unset, where that is not `default`. For the documentation. */
  readonly whenUnset?: string
  readonly meaning: string
  /** Never shown, in no message and no log. */
  readonly isSecret?: true
  /** @throws SettingMistake when the text is not what is expected. */
  readonly parse: (text: string) => Value
}

/** The value of a setting is not what is expected. The message begins with `expected`. */
export class SettingMistake extends Error {
  constructor(expectation: string, options?: ErrorOptions) {
    super(`expected ${expectation}`, options)
    this.name = 'SettingMistake'
  }
}

/** All that is wrong with the settings, one line for each mistake. */
export class SettingsError extends Error {
  readonly mistakes: readonly string[]

  constructor(mistakes: readonly string[]) {
    super(mistakes.join('\n'))
    this.name = 'SettingsError'
    this.mistakes = mistakes
  }
}

const shownCharacters = 120

/**
 * A value as a message may show it: what may be a password inside a URL is left out, long values are
 * cut. A password may itself have `/` and `@`, unescaped, or the `@` behind it may be missing: what
 * stands at a port's place and is no number is then taken for a password.
 */
export function shown(text: string): string {
  const withoutPassword = text
    .replace(/:(\/\/)?.*@/s, ':$1…@')
    .replace(/(:\/\/[^/:@[]*):(?!\d{1,5}(?:[/?#]|$)).*$/s, '$1:…')
  return JSON.stringify(
    withoutPassword.length > shownCharacters
      ? `${withoutPassword.slice(0, shownCharacters)}…`
      : withoutPassword,
  )
}
