/** Strings, quoted names and comments, in which a question mark is not a parameter. */
const quotedOrParameter = /'(?:[^']|'')*'|"(?:[^"]|"")*"|--[^\n]*|\/\*[\s\S]*?\*\/|\?/g

/** Pure: SQL with `?` → SQL with PostgreSQL's `$1`, `$2`, … */
export function numberPlaceholders(sql: string): string {
  let count = 0
  return sql.replace(quotedOrParameter, (match) => {
    if (match !== '?') return match
    count += 1
    return `$${count}`
  })
}
