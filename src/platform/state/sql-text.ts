/**
 * Whether a row can contain the text: PostgreSQL refuses U+0000 (database.ts, SqlValue). Check it for
 * values chosen by a client.
 */
export function isSqlText(text: string): boolean {
  return !text.includes('\0')
}
