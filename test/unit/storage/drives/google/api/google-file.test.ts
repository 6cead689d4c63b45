import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  accountSchema,
  changePageSchema,
  filePageSchema,
  googleFileSchema,
  metadataJson,
} from '../../../../../../src/storage/drives/google/api/google-file.ts'
import { fileJson } from './scripted-google.ts'

test('googleFileSchema reads sizes and times as numbers', () => {
  assert.deepEqual(googleFileSchema.parse(fileJson({ kind: 'drive#file', size: '5368709120' })), {
    id: 'f1',
    name: 'a.txt',
    mimeType: 'text/plain',
    parents: ['p1'],
    size: 5_368_709_120,
    md5Checksum: '900150983cd24fb0d6963f7d28e17f72',
    createdAtMs: Date.parse('2026-11-20T10:00:00Z'),
    modifiedAtMs: Date.parse('2026-11-21T10:00:00.5Z'),
    trashed: false,
    appProperties: {},
    headRevisionId: 'r1',
    version: 7,
  })
})

test('googleFileSchema omits fields that folders, documents and unshared files lack', () => {
  const folder = googleFileSchema.parse({
    id: 'd',
    name: 'docs/../x',
    mimeType: 'application/vnd.google-apps.folder',
    createdTime: '2026-11-20T10:00:00.000Z',
    modifiedTime: '2026-11-20T10:00:00.000Z',
  })
  assert.deepEqual(Object.keys(folder).sort(), [
    'appProperties',
    'createdAtMs',
    'id',
    'mimeType',
    'modifiedAtMs',
    'name',
    'parents',
    'trashed',
    'version',
  ])
})

test('googleFileSchema rejects what is not a file', () => {
  for (const wrong of [
    {},
    fileJson({ size: '-1' }),
    fileJson({ id: '' }),
    fileJson({ parents: 'p' }),
    null,
  ]) {
    assert.equal(googleFileSchema.safeParse(wrong).success, false)
  }
})

test('googleFileSchema ignores a checksum that is not an MD5', () => {
  assert.equal(googleFileSchema.parse(fileJson({ md5Checksum: 'x' })).md5Checksum, undefined)
})

test('filePageSchema reports an incomplete search', () => {
  const page = filePageSchema.parse({ files: [], incompleteSearch: true, nextPageToken: 'n' })
  assert.deepEqual(page, { files: [], isIncomplete: true, nextPageToken: 'n' })
})

test('changePageSchema omits changes of whole shared drives', () => {
  const page = changePageSchema.parse({
    newStartPageToken: '9',
    changes: [
      { changeType: 'drive', driveId: 'd' },
      { fileId: 'gone', removed: true },
      { fileId: 'f1', removed: false, file: fileJson() },
    ],
  })
  assert.equal(page.newStartPageToken, '9')
  assert.deepEqual(
    page.changes.map(({ fileId, file }) => [fileId, file?.name]),
    [
      ['gone', undefined],
      ['f1', 'a.txt'],
    ],
  )
})

test('accountSchema reads a missing limit as unlimited', () => {
  const storageQuota = { limit: '100', usage: '40' }
  assert.deepEqual(accountSchema.parse({ storageQuota, user: { emailAddress: 'a@b' } }), {
    usageBytes: 40,
    limitBytes: 100,
    emailAddress: 'a@b',
  })
  assert.deepEqual(accountSchema.parse({ storageQuota: { usage: '40' } }), { usageBytes: 40 })
})

test('accountSchema caps byte counts at the largest safe integer', () => {
  const storageQuota = { limit: '92233720368547758070', usage: '1100000000000000' }
  assert.deepEqual(accountSchema.parse({ storageQuota }), {
    limitBytes: Number.MAX_SAFE_INTEGER,
    usageBytes: 1.1e15,
  })
})

test('metadataJson writes times as Drive reads them', () => {
  assert.deepEqual(metadataJson({ name: 'a', appProperties: { x: null }, modifiedAtMs: 0 }), {
    name: 'a',
    appProperties: { x: null },
    modifiedTime: '1970-01-01T00:00:00.000Z',
  })
})
