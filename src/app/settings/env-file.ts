import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Environment, isGiven } from './setting.ts'

// With the flag `s`, a value may have U+2028, which is no line break of a file.
const assignment = /^(?:export\s+)?([A-Z][A-Z0-9_]*)=(.*)$/s

/**
 * Reads `NAME=value` lines as a shell would: blank lines and `#` comments are ignored, and one pair of
 * quotes around a value is removed. Nothing is expanded.
 */
export function parseEnvFile(text: string): Record<string, string> {
  const values: Record<string, string> = {}
  for (const line of text.split(/\r?\n/)) {
    const [, name, value] = assignment.exec(line.trim()) ?? []
    if (name !== undefined && value !== undefined) values[name] = withoutQuotes(value.trim())
  }
  return values
}

function withoutQuotes(value: string): string {
  return /^(["']).*\1$/s.test(value) && value.length > 1 ? value.slice(1, -1) : value
}

/**
 * Writes lines that parseEnvFile and shells read the same way.
 *
 * @throws RangeError for a value with a single quote or a control character.
 */
export function formatEnvFile(comment: string, values: Readonly<Record<string, string>>): string {
  const lines = Object.entries(values).map(([name, value]) => `${envLine(name, value)}\n`)
  return `# ${comment}\n${lines.join('')}`
}

/**
 * One line of such a file, without the line break. In single quotes a shell interprets nothing.
 *
 * @throws RangeError like formatEnvFile.
 */
function envLine(name: string, value: string): string {
  if (/^[A-Za-z0-9_./:@%+,-]*$/.test(value)) return `${name}=${value}`
  if (/^[^'\p{Cc}]*$/u.test(value)) return `${name}='${value}'`
  throw new RangeError(`the value of ${name} contains a quote or a control character`)
}

/**
 * The text of such a file with changed values: the lines of these names are replaced in place, or
 * removed for undefined; new names are appended. All other lines stay unchanged.
 *
 * @throws RangeError like formatEnvFile.
 */
export function changeEnvFile(
  text: string,
  values: Readonly<Record<string, string | undefined>>,
): string {
  const left = new Map(Object.entries(values))
  const lines = text === '' ? [] : text.replace(/\r?\n$/, '').split(/\r?\n/)
  const kept = lines.flatMap((line) => {
    const [, name = ''] = assignment.exec(line.trim()) ?? []
    if (!Object.hasOwn(values, name)) return [line]
    const value = left.get(name)
    left.delete(name)
    return value === undefined ? [] : [envLine(name, value)]
  })
  const added = [...left].flatMap(([name, value]) => {
    return value === undefined ? [] : [envLine(name, value)]
  })
  return [...kept, ...added].map((line) => `${line}\n`).join('')
}

/** The file of the generated settings, in DATA_DIR. */
export const settingsFileName = 'bucketry.env'

/** If any of these is set in the environment, the file is not read (docs/configuration.md, "First start"). */
export const ownSettings = [
  'ACCESS_KEY',
  'SECRET_KEY',
  'ALLOWED_BUCKETS',
  'DASHBOARD_PASSWORD',
] as const

/**
 * For the message that a setting is missing: the file of the generated settings has it, and was not read.
 *
 * @returns a part of a sentence; empty if that is not so
 */
export function ignoredFileWith(
  name: string,
  { environment, dataDir }: { readonly environment: Environment; readonly dataDir: string },
): string {
  const file = join(dataDir, settingsFileName)
  if (textOf(file, name) === undefined) return ''
  const reason = ownSettings.filter((own) => isGiven(environment, own)).join(', ')
  return `${file} has it, but is not read, because ${reason} is set outside it. Move ${reason} into that file, or `
}

function textOf(file: string, name: string): string | undefined {
  try {
    return parseEnvFile(readFileSync(file, 'utf8'))[name]
  } catch {
    // Missing or not readable: the message does not name it.
    return undefined
  }
}
