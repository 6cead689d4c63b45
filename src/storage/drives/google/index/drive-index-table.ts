import type { Database, Statement } from '../../../../platform/state/database.ts'
import {
  listStatements,
  readLists,
  valueLists,
  writeAll,
} from '../../../../platform/state/statements.ts'
import type {
  ChildrenQuery,
  DriveIndex,
  FeedPage,
  HiddenFile,
  IndexedFile,
  IndexState,
  KeptAttributes,
  ListedFile,
  OwnWrite,
} from './drive-index.ts'
import {
  fileColumns,
  fileOf,
  hideStatement,
  removing,
  type SaveMarks,
  type StoredFile,
  saveBelowVisible,
  saveStatements,
  unsureKind,
  type WalkedRow,
  walkStatement,
} from './drive-index-row-table.ts'

interface FoundRows {
  readonly files: IndexedFile[]
  readonly isSure: boolean
}

/** PostgreSQL plans four joins in less than a millisecond, eight in sixteen. */
const maxJoined = 4

/** Earlier versions store in `owner` and `until_ms` which process reads the feed. */
const insertRoot = `INSERT INTO drive_index
    (root, staging, crawl, is_ready, page_token, polled_at_ms, owner, until_ms, drive)
  VALUES (?, '', 0, 0, '', 0, '', 0, ?) ON CONFLICT DO NOTHING`
const selectState = `SELECT crawl, is_ready AS "isReady", page_token AS "pageToken",
  polled_at_ms AS "polledAtMs" FROM drive_index WHERE root = ?`
const beginCrawl = `UPDATE drive_index SET crawl = ?, page_token = ?
  WHERE root = ? AND crawl = ? AND page_token = ?`
/** Known content stays valid while it is listed again. */
const relistAll = `UPDATE drive_files SET unlisted = CASE WHEN unlisted = 1 THEN 1 ELSE 2 END
  WHERE kind = 'folder' AND parent <> '' AND drive = ?`
const advance = `UPDATE drive_index SET page_token = ?, polled_at_ms = ?
  WHERE root = ? AND page_token = ?`
const advancePage = 'UPDATE drive_index SET page_token = ? WHERE root = ? AND page_token = ?'

const selectUnlisted = `SELECT 1 AS one FROM drive_files
  WHERE unlisted = 1 AND parent <> '' AND drive = ? LIMIT 1`

const listedColumns = `id, sort_name AS "sortName", kind, size,
  modified_at_ms AS "modifiedAtMs", etag,
  CASE WHEN attributes LIKE '%"storageClass":%' THEN attributes ELSE '' END AS attributes`
const isNotEmpty = `(kind = 'file' OR is_own = 0 OR unlisted = 1
  OR EXISTS (SELECT 1 FROM drive_files AS inside WHERE inside.parent = drive_files.id))`
/** Duplicates are adjacent, the one that counts first. */
const listingOrder = 'ORDER BY sort_name, modified_at_ms DESC, id DESC'

const keepAttributes = `INSERT INTO drive_attributes (id, md5, json) VALUES (?, ?, ?)
  ON CONFLICT (id, md5) DO UPDATE SET json = excluded.json`
const forgetOtherAttributes = 'DELETE FROM drive_attributes WHERE id = ? AND md5 <> ?'
const publishUpload = `INSERT INTO drive_uploads (id, file_ids, json, touched_at_ms, drive)
  VALUES (?, '', ?, ?, ?) ON CONFLICT (id) DO UPDATE SET
  file_ids = '', json = excluded.json, touched_at_ms = excluded.touched_at_ms`
const hideEmptyFolder = `UPDATE drive_files
  SET parent = '', sort_name = '${removing}', touched_at_ms = ?
  WHERE id = ? AND parent <> ''
  AND NOT EXISTS (SELECT 1 FROM drive_files AS inside WHERE inside.parent = drive_files.id)`
const endRemoval = `UPDATE drive_files SET sort_name = ''
  WHERE parent = '' AND sort_name = '${removing}'`
const deleteHidden = `DELETE FROM drive_files WHERE parent = '' AND touched_at_ms < ?`
const deleteHiddenAttributes = `DELETE FROM drive_attributes WHERE id IN
  (SELECT id FROM drive_files WHERE parent = '' AND touched_at_ms < ?)`
const deleteOrphans = `DELETE FROM drive_files WHERE parent <> '' AND kind = ?
  AND parent NOT IN (SELECT root FROM drive_index)
  AND NOT EXISTS (SELECT 1 FROM drive_files AS above WHERE above.id = drive_files.parent)`

/** The Google drive's index in the database. */
export class DatabaseDriveIndex implements DriveIndex {
  readonly #database: Database
  readonly #now: () => number
  readonly #drive: string

  /**
   * @param now milliseconds since the epoch.
   * @param drive the drive's name; '' for the default drive
   */
  constructor(database: Database, now: () => number = Date.now, drive = '') {
    this.#database = database
    this.#now = now
    this.#drive = drive
  }

  async find(
    parents: readonly string[],
    path: readonly string[],
    kind: IndexedFile['kind'],
  ): Promise<IndexedFile[]> {
    return (await this.look(parents, path, kind)).files
  }

  async look(
    parents: readonly string[],
    path: readonly string[],
    kind: IndexedFile['kind'],
  ): Promise<FoundRows> {
    let above = parents
    let isSure = true
    for (let at = 0; at < path.length && above.length > 0; at += maxJoined) {
      const isLast = at + maxJoined >= path.length
      const steps = path.slice(at, at + maxJoined)
      const found = await this.#walk(above, steps, isLast ? kind : 'folder')
      isSure &&= found.isSure
      if (isLast) return { files: found.files, isSure }
      above = found.files.map((row) => row.id)
    }
    return { files: [], isSure }
  }

  async #walk(
    parents: readonly string[],
    steps: readonly string[],
    kind: IndexedFile['kind'],
  ): Promise<FoundRows> {
    const rows: WalkedRow[] = []
    for (const list of valueLists(parents)) {
      const { sql, params } = walkStatement({ parents: list, steps, kind })
      rows.push(...(await this.#database.read<WalkedRow>(sql, params)))
    }
    const files = rows.filter((row) => row.kind !== unsureKind)
    return { files: files.map(fileOf), isSure: files.length === rows.length }
  }

  async children(
    parents: readonly string[],
    { from, isInclusive, hidesEmpty, limit }: ChildrenQuery,
  ): Promise<ListedFile[]> {
    const range = `sort_name ${isInclusive ? '>=' : '>'} ?`
    const [list] = valueLists(parents)
    if (list === undefined) return []
    return await this.#database.read<ListedFile>(
      `SELECT ${listedColumns} FROM drive_files WHERE parent IN (${list.sql}) AND ${range}
        ${hidesEmpty ? `AND ${isNotEmpty}` : ''} ${listingOrder} LIMIT ?`,
      [...list.params, from, limit],
    )
  }

  async getMany(ids: readonly string[]): Promise<IndexedFile[]> {
    const select = (list: string) =>
      `SELECT ${fileColumns()} FROM drive_files WHERE id IN (${list})`
    return (await readLists<StoredFile>(this.#database, valueLists(ids), select)).map(fileOf)
  }

  async keptAttributes(ids: readonly string[]): Promise<KeptAttributes[]> {
    const select = (list: string) =>
      `SELECT id, md5, json FROM drive_attributes WHERE id IN (${list})`
    return await readLists<KeptAttributes>(this.#database, valueLists(ids), select)
  }

  async keepAttributes(kept: KeptAttributes): Promise<void> {
    await this.#database.write([keepStatement(kept)])
  }

  async write({ file, kept, hides = [], upload }: OwnWrite): Promise<boolean> {
    const nowMs = this.#now()
    const save = saveBelowVisible(file, this.#marks({ isUnlisted: false }))
    const statements = [
      ...hides.map((hidden) => hideStatement(hidden, nowMs)),
      { sql: forgetOtherAttributes, params: [file.id, file.md5] },
    ]
    if (kept) statements.push(keepStatement(kept))
    if (upload)
      statements.push({ sql: publishUpload, params: [upload.id, upload.json, nowMs, this.#drive] })
    if (await writeAll(this.#database, [save], statements)) return true
    const rows = await this.getMany([file.id, file.parent])
    const row = rows.find(({ id }) => id === file.id)
    if (row === undefined || row.version <= file.version) return false
    const folder = rows.find(({ id }) => id === row.parent)
    if (folder?.parent === '') return false
    // The file was changed since and the feed was faster: keep the newer values.
    await this.#database.write(statements)
    return true
  }

  async save(files: readonly IndexedFile[], hidden: readonly HiddenFile[]): Promise<void> {
    await this.#database.write(this.#news(files, hidden))
  }

  async removeEmptyFolder(id: string): Promise<boolean> {
    const params = [this.#now(), id]
    return await writeAll(this.#database, [{ sql: hideEmptyFolder, params }])
  }

  async endRemoval(ids: readonly string[]): Promise<void> {
    if (ids.length === 0) return
    const endSome = (list: string) => `${endRemoval} AND id IN (${list})`
    await this.#database.write(listStatements(valueLists(ids), endSome))
  }

  async open(root: string): Promise<void> {
    if ((await this.state(root)) !== undefined) return
    await this.#database.write([
      {
        sql: `DELETE FROM drive_files WHERE drive = ?
          AND EXISTS (SELECT 1 FROM drive_index WHERE drive = ? AND root <> ?)`,
        params: [this.#drive, this.#drive, root],
      },
      {
        sql: 'DELETE FROM drive_index WHERE drive = ? AND root <> ?',
        params: [this.#drive, root],
      },
      { sql: insertRoot, params: [root, this.#drive] },
    ])
  }

  async state(root: string): Promise<IndexState | undefined> {
    type Row = Omit<IndexState, 'isReady'> & { readonly isReady: number }
    const [row] = await this.#database.read<Row>(selectState, [root])
    return row && { ...row, isReady: Number(row.isReady) === 1 }
  }

  async staging(root: string): Promise<string | undefined> {
    const select = 'SELECT staging FROM drive_index WHERE root = ?'
    const [row] = await this.#database.read<{ staging: string }>(select, [root])
    return row?.staging === '' ? undefined : row?.staging
  }

  async noteStaging(root: string, id: string): Promise<void> {
    const sql = 'UPDATE drive_index SET staging = ? WHERE root = ?'
    await this.#database.write([{ sql, params: [id, root] }])
  }

  beginCrawl(root: string, seen: IndexState, pageToken: string): Promise<boolean> {
    const params = [seen.crawl + 1, pageToken, root, seen.crawl, seen.pageToken]
    return writeAll(
      this.#database,
      [{ sql: beginCrawl, params }],
      [{ sql: relistAll, params: [this.#drive] }],
    )
  }

  async unlisted(limit: number): Promise<string[]> {
    const found: string[] = []
    for (const mark of ['1', '2']) {
      const sql = `SELECT id FROM drive_files WHERE unlisted = ${mark} AND parent <> ''
        AND drive = ? LIMIT ?`
      const params = [this.#drive, limit - found.length]
      const rows = await this.#database.read<{ id: string }>(sql, params)
      found.push(...rows.map((row) => row.id))
    }
    return found
  }

  async hasUnlisted(): Promise<boolean> {
    return (await this.#database.read(selectUnlisted, [this.#drive])).length > 0
  }

  async unlistedOf(ids: readonly string[]): Promise<string[]> {
    const select = (list: string) => `SELECT id FROM drive_files
      WHERE id IN (${list}) AND unlisted = 1 AND parent <> ''`
    const rows = await readLists<{ id: string }>(this.#database, valueLists(ids), select)
    return rows.map((row) => row.id)
  }

  async saveListed(files: readonly IndexedFile[], crawl: number): Promise<void> {
    await this.#database.write(saveStatements(files, this.#marks({ crawl, isUnlisted: true })))
  }

  async unseen(folders: readonly string[], crawl: number): Promise<string[]> {
    const select = (list: string) =>
      `SELECT id FROM drive_files WHERE parent IN (${list}) AND seen < ?`
    const lists = valueLists(folders)
    const rows = await readLists<{ id: string }>(this.#database, lists, select, [crawl])
    return rows.map((row) => row.id)
  }

  async listed(folders: readonly string[], crawl: number): Promise<void> {
    const isSame = 'EXISTS (SELECT 1 FROM drive_index WHERE crawl = ? AND drive = ?)'
    const markSome = (list: string) =>
      `UPDATE drive_files SET unlisted = 0 WHERE id IN (${list}) AND ${isSame}`
    await this.#database.write(listStatements(valueLists(folders), markSome, [crawl, this.#drive]))
  }

  async endCrawl(root: string): Promise<void> {
    await this.#database.write([
      { sql: 'UPDATE drive_index SET is_ready = 1 WHERE root = ?', params: [root] },
    ])
  }

  advance(root: string, { from, to, files, hidden, polledAtMs }: FeedPage): Promise<boolean> {
    const step: Statement =
      polledAtMs === undefined
        ? { sql: advancePage, params: [to, root, from] }
        : { sql: advance, params: [to, polledAtMs, root, from] }
    return writeAll(this.#database, [step], this.#news(files, hidden))
  }

  async tidy(beforeMs: number): Promise<void> {
    await this.#database.write([
      { sql: deleteHiddenAttributes, params: [beforeMs] },
      { sql: deleteHidden, params: [beforeMs] },
    ])
    // Each round takes the folders whose parents the previous round deleted.
    for (;;) {
      const [folders] = await this.#database.write([
        { sql: deleteOrphans, params: ['folder'] },
        { sql: deleteOrphans, params: ['file'] },
      ])
      if (folders?.changes === 0) return
    }
  }

  #news(files: readonly IndexedFile[], hidden: readonly HiddenFile[]): Statement[] {
    const nowMs = this.#now()
    return [
      ...saveStatements(files, this.#marks({ isUnlisted: true })),
      ...hidden.map((file) => hideStatement(file, nowMs)),
    ]
  }

  #marks(marks: Partial<SaveMarks>): SaveMarks {
    return { isUnlisted: false, crawl: 0, nowMs: this.#now(), drive: this.#drive, ...marks }
  }
}

function keepStatement({ id, md5, json }: KeptAttributes): Statement {
  return { sql: keepAttributes, params: [id, md5, json] }
}
