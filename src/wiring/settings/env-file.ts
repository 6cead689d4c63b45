const assignment = /^(?:export\s+)?([A-Z][A-Z0-9_]*)=(.*)$/

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
  return /^(["']).*\1$/.test(value) && value.length > 1 ? value.slice(1, -1) : value
}

/**
 * Writes lines that parseEnvFile and shells read the same way.
 *
 * @throws RangeError for a value that a shell would need quotes for.
 */
export function formatEnvFile(comment: string, values: Readonly<Record<string, string>>): string {
  const lines = Object.entries(values).map(([name, value]) => `${envLine(name, value)}\n`)
  return `# ${comment}\n${lines.join('')}`
}

/**
 * One line of such a file, without the line break.
 *
 * @throws RangeError like formatEnvFile.
 */
export function envLine(name: string, value: string): string {
  if (!/^[A-Za-z0-9_./:@%+,-]*$/.test(value)) {
    throw new RangeError(`the value of ${name} contains characters that a shell would interpret`)
  }
  return `${name}=${value}`
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
