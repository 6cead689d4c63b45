/**
 * Whether a text can be in a row at all: PostgreSQL refuses a statement with U+0000 (database.ts,
 * SqlValue). Check it for values chosen by a client.
 */
export function isSqlText(text: string): boolean {
  return !text.includes('\0')
}
