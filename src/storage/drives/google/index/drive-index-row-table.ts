import type { SqlValue, Statement } from '../../../../platform/state/database.ts'
import { type ParameterList, rowInserts } from '../../../../platform/state/statements.ts'
import type { HiddenFile, IndexedFile } from './drive-index.ts'

/** A row as the database returns it. */
export interface StoredFile extends Omit<IndexedFile, 'isOwn'> {
  readonly isOwn: number
}

/** Values written in addition to the row's own. */
export interface SaveMarks {
  /** A new or restored folder must be listed. */
  readonly isUnlisted: boolean
  readonly crawl: number
  readonly nowMs: number
  /** The drive's name; '' for the default drive. */
  readonly drive: string
}

const names = `id, parent, sort_name, kind, size, md5, revision, mime_type, created_at_ms,
  modified_at_ms, version, etag, attributes, is_own, unlisted, seen, touched_at_ms, drive`

/** With `prefix`, such as `f2.`, where several are joined. */
export const fileColumns = (prefix = '') =>
  [
    ...['id', 'parent', 'sort_name AS "sortName"', 'kind', 'size', 'md5', 'revision'],
    ...['mime_type AS "mimeType"', 'created_at_ms AS "createdAtMs"'],
    ...['modified_at_ms AS "modifiedAtMs"', 'version', 'etag', 'attributes', 'is_own AS "isOwn"'],
  ]
    .map((column) => prefix + column)
    .join(', ')

/** The sort name of a hidden folder that is being moved to the trash: no change restores it. */
export const removing = 'removing'

/** Changes older than the stored version are dropped. A folder that was hidden is listed again. */
const onConflict = (attributes: string) => `ON CONFLICT (id) DO UPDATE SET
    parent = excluded.parent, sort_name = excluded.sort_name, kind = excluded.kind,
    size = excluded.size, md5 = excluded.md5, revision = excluded.revision,
    mime_type = excluded.mime_type, created_at_ms = excluded.created_at_ms,
    modified_at_ms = excluded.modified_at_ms, version = excluded.version,
    ${attributes}, is_own = excluded.is_own,
    unlisted = CASE WHEN drive_files.parent = '' THEN excluded.unlisted
      ELSE drive_files.unlisted END,
    seen = CASE WHEN excluded.seen > drive_files.seen THEN excluded.seen
      ELSE drive_files.seen END,
    touched_at_ms = excluded.touched_at_ms, drive = excluded.drive
  WHERE excluded.version >= drive_files.version
    AND (drive_files.parent <> '' OR drive_files.sort_name <> '${removing}')`

const onOwnWrite = onConflict('etag = excluded.etag, attributes = excluded.attributes')
/** A change of the stored version may be older than its attributes, and then has less information. */
const isNewer = "excluded.version > drive_files.version OR drive_files.parent = ''"
const onNews = onConflict(
  ['etag', 'attributes']
    .map(
      (name) => `${name} = CASE WHEN ${isNewer} THEN excluded.${name} ELSE drive_files.${name} END`,
    )
    .join(', '),
)

/** PostgreSQL takes a plain parameter in SELECT as text. */
const typedParameters = [
  ...['TEXT', 'TEXT', 'TEXT', 'TEXT', 'BIGINT', 'TEXT', 'TEXT', 'TEXT', 'BIGINT', 'BIGINT'],
  ...['BIGINT', 'TEXT', 'TEXT', 'INTEGER', 'INTEGER', 'BIGINT', 'BIGINT', 'TEXT'],
]
  .map((type) => `CAST(? AS ${type})`)
  .join(', ')

const insertBelowVisible = `INSERT INTO drive_files (${names}) SELECT ${typedParameters}
  WHERE EXISTS (SELECT 1 FROM drive_files WHERE id = ? AND parent <> '') ${onOwnWrite}`

const hide = `UPDATE drive_files SET parent = '', sort_name = '', version = ?, touched_at_ms = ?
  WHERE id = ? AND version <= ?`

export function fileOf(stored: StoredFile): IndexedFile {
  return { ...stored, isOwn: Number(stored.isOwn) === 1 }
}

/** Statements that save each file once; of several of one id the last counts. */
export function saveStatements(files: readonly IndexedFile[], marks: SaveMarks): Statement[] {
  const last = new Map(files.map((file) => [file.id, file]))
  const rows = [...last.values()].map((file) => valuesOf(file, marks))
  return rowInserts(`INSERT INTO drive_files (${names})`, rows).map(({ sql, ...rest }) => ({
    ...rest,
    sql: `${sql} ${onNews}`,
  }))
}

/** Saves a file if its folder still exists. */
export function saveBelowVisible(file: IndexedFile, marks: SaveMarks): Statement {
  return {
    sql: insertBelowVisible,
    params: [...valuesOf(file, marks), file.parent],
  }
}

/** Hides a file as of this version. */
export function hideStatement({ id, version }: HiddenFile, nowMs: number): Statement {
  return { sql: hide, params: [version, nowMs, id, version] }
}

function valuesOf(file: IndexedFile, { isUnlisted, crawl, nowMs, drive }: SaveMarks): SqlValue[] {
  return [
    ...[file.id, file.parent, file.sortName, file.kind, file.size, file.md5, file.revision],
    ...[file.mimeType, file.createdAtMs, file.modifiedAtMs, file.version, file.etag],
    ...[file.attributes, file.isOwn ? 1 : 0, isUnlisted && file.kind === 'folder' ? 1 : 0],
    ...[crawl, nowMs, drive],
  ]
}

/** The kind of a row that is not a file: it marks that the content of some folder is unknown. */
export const unsureKind = 'unsure'

export type WalkedRow = StoredFile | { readonly kind: typeof unsureKind }

/**
 * True if the content of a visible folder is unknown, on any drive. The drive then checks its own, which
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
  /** The kind of the last entry. */
  readonly kind: IndexedFile['kind']
}

/**
 * One statement for the files at the end of a path, with `unsureRow` as of the same moment. With
 * PostgreSQL, each separate statement would be a round trip.
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
