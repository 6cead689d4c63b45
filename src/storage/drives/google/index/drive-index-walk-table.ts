import type { SqlValue } from '../../../../platform/state/database.ts'
import type { ParameterList } from '../../../../platform/state/parameter-lists.ts'
import type { IndexedFile } from './drive-index.ts'
import { fileColumns, type StoredFile } from './drive-index-row-table.ts'

/** The kind of a row that is not a file: it marks that the content of some folder is unknown. */
export const unsureKind = 'unsure'

export type WalkedRow = StoredFile | { readonly kind: typeof unsureKind }

/**
 * True if the content of a visible folder is unknown, on any drive: the drive then makes sure, which
 * costs a query.
 */
const someUnlisted = `EXISTS (SELECT 1 FROM drive_files WHERE unlisted = 1 AND parent <> '')`

const unsureRow = `SELECT '', '', '', '${unsureKind}', 0, '', '', '', 0, 0, 0, '', '', 0
  WHERE ${someUnlisted}`

export interface Walk {
  /** IDs of the folders to start in. */
  readonly parents: ParameterList
  /** Sort names: folders, except for the last one. */
  readonly steps: readonly string[]
  /** Of the last one. */
  readonly kind: IndexedFile['kind']
}

/**
 * Pure: one statement for the files at the end of a path, with `unsureRow` as of the same moment. With
 * PostgreSQL, each step as a separate statement would be a round trip.
 */
export function walkStatement({ parents, steps, kind }: Walk): {
  readonly sql: string
  readonly params: readonly SqlValue[]
} {
  const last = steps.length - 1
  const tables = steps.map((_, index) => `drive_files AS f${index}`).join(' CROSS JOIN ')
  const links = steps.slice(1).map((_, index) => `f${index + 1}.parent = f${index}.id`)
  const named = steps.map((_, index) => `f${index}.sort_name = ? AND f${index}.kind = ?`)
  const names = steps.flatMap((step, index) => [step, index === last ? kind : 'folder'])
  const where = [`f0.parent IN (${parents.sql})`, ...links, ...named].join(' AND ')
  const sql = `SELECT ${fileColumns(`f${last}.`)} FROM ${tables} WHERE ${where}
    UNION ALL ${unsureRow}`
  return { sql, params: [...parents.params, ...names] }
}
