import type { SqlValue } from '../database.ts'

export type Row = Readonly<Record<string, SqlValue>>

/** All rows of a database at one point in time, while other processes may write. */
export interface Snapshot {
  /** Names of our tables, sorted. */
  tables(): Promise<readonly string[]>
  /** The rows of a table in batches of at most `batchRows`, in any order. */
  rows(table: string): AsyncIterable<readonly Row[]>
  close(): Promise<void>
}

/** Bounds the memory of a backup: a row has at most a few KiB. */
export const batchRows = 500

/** A name as SQL text. Both databases fold names without quotes in their own way. */
export function quotedName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}
