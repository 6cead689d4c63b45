/**
 * Whether a text can be in a row at all: PostgreSQL refuses a statement with U+0000 (database.ts,
 * SqlValue). To be asked of what a client chose to look for.
 */
export function isSqlText(text: string): boolean {
  return !text.includes('\0')
}
