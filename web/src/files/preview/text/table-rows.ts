export const maxColumns = 100
export const maxRows = 20_000

const separators = [',', ';', '\t', '|'] as const

export interface TableRows {
  readonly rows: readonly (readonly string[])[]
  readonly hasMoreColumns: boolean
  readonly hasMoreRows: boolean
}

/**
 * The rows of a text by RFC 4180, with the most frequent separator of its first line. Nothing is refused: a quote
 * inside a field is a plain character.
 *
 * @param isPart whether the text is the beginning of a longer one: its last row may be incomplete and is left out.
 */
export function tableRows(text: string, isPart: boolean): TableRows {
  const line = /^[^\r\n]*/.exec(text)?.[0] ?? ''
  const counts = separators.map((separator) => line.split(separator).length)
  const separator = separators[counts.indexOf(Math.max(...counts))] ?? ','
  const rows: string[][] = []
  let row: string[] = []
  let hasMoreColumns = false
  let at = 0
  while (at < text.length && rows.length < maxRows) {
    const field = fieldAt(text, at, separator)
    if (row.length < maxColumns) row.push(field.value)
    else hasMoreColumns = true
    at = field.end
    if (text[at] === separator && at + 1 < text.length) {
      at += 1
      continue
    }
    // A separator at the very end is followed by an empty field.
    if (text[at] === separator && row.length < maxColumns) row.push('')
    rows.push(row)
    row = []
    at += text.startsWith('\r\n', at) ? 2 : 1
  }
  const hasMoreRows = at < text.length
  if (isPart && !hasMoreRows && rows.length > 1) rows.pop()
  return { rows, hasMoreColumns, hasMoreRows }
}

interface Field {
  readonly value: string
  readonly end: number
}

function fieldAt(text: string, start: number, separator: string): Field {
  if (text[start] !== '"') return unquoted(text, start, separator)
  let value = ''
  let from = start + 1
  for (;;) {
    const quote = text.indexOf('"', from)
    // The closing quote is missing.
    if (quote < 0) return { value: value + text.slice(from), end: text.length }
    value += text.slice(from, quote)
    from = quote + 2
    if (text[quote + 1] === '"') {
      value += '"'
      continue
    }
    const rest = unquoted(text, quote + 1, separator)
    return { value: value + rest.value, end: rest.end }
  }
}

function unquoted(text: string, start: number, separator: string): Field {
  let end = start
  while (end < text.length && text[end] !== '\n' && text[end] !== '\r' && text[end] !== separator)
    end += 1
  return { value: text.slice(start, end), end }
}
