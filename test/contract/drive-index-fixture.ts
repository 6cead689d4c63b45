import assert from 'node:assert/strict'
import { after, before, beforeEach } from 'node:test'
import type { Database } from '../../src/platform/state/database.ts'
import { type DatabaseLocation, openDatabase } from '../../src/platform/state/open-database.ts'
import {
  type DriveIndex,
  type IndexedFile,
  type IndexState,
  sortNameOf,
} from '../../src/storage/drives/google/index/drive-index.ts'
import { DatabaseDriveIndex } from '../../src/storage/drives/google/index/drive-index-table.ts'

export const root = 'root'

import {
  DatabaseDriveUploads,
  type UploadRecords,
} from '../../src/storage/drives/kit/uploads/drive-upload-table.ts'
export const ids = (rows: readonly { readonly id: string }[]) => rows.map((row) => row.id)

export function fileOf(id: string, parent: string, more: Partial<IndexedFile> = {}): IndexedFile {
  return {
    ...{
      id,
      parent,
      sortName: sortNameOf(id, 'file'),
      kind: 'file',
      size: 3,
      md5: 'm',
      version: 1,
    },
    ...{ revision: 'r', mimeType: 'a/b', createdAtMs: 1, modifiedAtMs: 2_000_000_000_000 },
    ...{ etag: 'e', attributes: '{"etag":"e"}', isOwn: false },
    ...more,
  }
}

export function folderOf(id: string, parent: string, more: Partial<IndexedFile> = {}): IndexedFile {
  const sortName = sortNameOf(id, 'folder')
  return fileOf(id, parent, { kind: 'folder', sortName, etag: '', attributes: '', ...more })
}

/** The index of one `describe`: before each test it has the empty folder `bucket` in the root. */
export interface IndexUnderTest {
  readonly index: DriveIndex
  readonly records: UploadRecords
  /** Of the index. */
  nowMs: number
  state(): Promise<IndexState>
}

/** Opens the index before the tests of a `describe`; call it there. */
export function useDriveIndex(createLocation: () => Promise<DatabaseLocation>): IndexUnderTest {
  let database: Database
  const under = {
    nowMs: 1_000,
    async state() {
      const state = await under.index.state(root)
      assert.ok(state)
      return state
    },
  } as { -readonly [Key in keyof IndexUnderTest]: IndexUnderTest[Key] }
  before(async () => {
    database = await openDatabase(await createLocation(), { migrate: true })
    under.index = new DatabaseDriveIndex(database, () => under.nowMs)
    under.records = new DatabaseDriveUploads(database, () => under.nowMs)
  })
  after(() => database.close())
  beforeEach(async () => {
    under.nowMs = 1_000
    await under.index.open('another')
    await under.index.open(root)
    await under.index.save([folderOf('bucket', root)], [])
    await under.index.listed(['bucket'], 0)
  })
  return under
}
