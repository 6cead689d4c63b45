import { resolve } from 'node:path'

/** The value of a setting is not valid. The message begins with `expected`. */
export class SettingMistake extends Error {
  constructor(expectation: string, options?: ErrorOptions) {
    super(`expected ${expectation}`, options)
    this.name = 'SettingMistake'
  }
}

/** The value is the path of a file that can't be read. */
export class FileMistake extends SettingMistake {
  constructor(expectation: string, cause: unknown) {
    super(`${expectation} (${(cause as NodeJS.ErrnoException).code})`, { cause })
  }
}

/** All mistakes in the settings, one line each. */
export class SettingsError extends Error {
  readonly mistakes: readonly string[]

  constructor(mistakes: readonly string[]) {
    super(mistakes.join('\n'))
    this.name = 'SettingsError'
    this.mistakes = mistakes
  }
}

/** `file://host/path` is refused: its host would be dropped silently. */
export function pathBehind(scheme: string, text: string): string {
  const path = text.startsWith(scheme) ? text.slice(scheme.length) : ''
  if (path === '' || path.includes('\0') || /^\/\/[^/]/.test(path)) {
    throw new SettingMistake(`${scheme}PATH with an absolute or relative path`)
  }
  return resolve(path)
}
