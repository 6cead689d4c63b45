const assignment = /^(?:export\s+)?([A-Z][A-Z0-9_]*)=(.*)$/

/**
 * Reads `NAME=value` lines as a shell would: blank lines and `#` comments do not count, one pair of
 * quotes around a value is not part of it. Nothing is expanded.
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
 * Writes lines that parseEnvFile and shells read alike.
 *
 * @throws RangeError for a value that a shell would need quotes for.
 */
export function formatEnvFile(comment: string, values: Readonly<Record<string, string>>): string {
  const lines = Object.entries(values).map(([name, value]) => {
    if (!/^[A-Za-z0-9_./:@%+,-]*$/.test(value)) {
      throw new RangeError(`the value of ${name} has characters that a shell would interpret`)
    }
    return `${name}=${value}\n`
  })
  return `# ${comment}\n${lines.join('')}`
}
