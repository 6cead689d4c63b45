import assert from 'node:assert/strict'
import { test } from 'node:test'
import { applyFieldMask, parseFieldMask } from './field-mask.ts'
import { type FileRecord, folderMimeType } from './file-record.ts'
import { fileListSchema, fileSchema } from './file-resource.ts'
import { GoogleError } from './google-error.ts'
import { parseQuery } from './query-parser.ts'

const record: FileRecord = {
  id: 'file',
  name: "It's a\\b.txt",
  mimeType: 'text/plain',
  parent: 'folder',
  isTrashed: false,
  appProperties: { a: 'b' },
  properties: {},
  isStarred: false,
  createdAtMs: Date.parse('2026-01-01T00:00:00Z'),
  modifiedAtMs: Date.parse('2026-01-02T00:00:00Z'),
  revisions: [],
  owner: 'user',
  version: 1,
  isAbusive: false,
}
const folder: FileRecord = { ...record, id: 'folder', mimeType: folderMimeType, isTrashed: true }
const scope = { records: new Map([['folder', folder]]), rootId: 'folder' }

const queries: readonly (readonly [query: string, matches: boolean])[] = [
  ["'folder' in parents", true],
  ["'root' in parents", true],
  ["'other' in parents", false],
  ["not 'other' in parents", true],
  ["name = 'it\\'s A\\\\B.TXT'", true],
  ["name='It\\'s a\\\\b.txt'", true],
  ['name = "It\'s a\\\\b.txt"', true],
  ["name != 'x'", true],
  ["name contains 'it'", true],
  ["name contains 't\\'s'", false],
  ["mimeType='text/plain'", true],
  ["mimeType != 'text/plain'", false],
  [`mimeType = '${folderMimeType}' or mimeType contains 'text/'`, true],
  // The folder is in the trash.
  ['trashed=true', true],
  ['trashed = false', false],
  ['trashed != true', false],
  [
    "trashed=true and ('x' in parents or 'folder' in parents) and (name='a' or starred=false)",
    true,
  ],
  ["not (name = 'x' or trashed = false)", true],
  ["modifiedTime > '2026-01-01T12:00:00'", true],
  ["createdTime >= '2026-01-01T12:00:00Z'", false],
  ["appProperties has { key='a' and value='b' }", true],
  ["appProperties has { key='a' and value='c' }", false],
  ["name = ' and trashed = true or '", false],
]

for (const [query, matches] of queries) {
  test(`query ${query} is ${matches}`, () => {
    assert.equal(parseQuery(query).matches(record, scope), matches)
  })
}

const mistakes = [
  "name = 'it's'",
  'name = x',
  "name = 'open",
  "'folder' in",
  "'folder' in children",
  "trashed = 'true'",
  'trashed',
  "title = 'v2'",
  "name > 'x'",
  "name = 'a' and",
  "(name = 'a'",
  "name = 'a')",
  "name = 'a' name = 'b'",
  "name = 'a' AND trashed = false",
  "name = '\\x'",
  'name = ;',
]

for (const query of mistakes) {
  test(`query ${query} is rejected`, () => {
    assert.throws(
      () => parseQuery(query),
      (error) => error instanceof GoogleError && error.status === 400,
    )
  })
}

test('parseQuery reports whether a query is by name', () => {
  assert.equal(parseQuery("'x' in parents and (trashed=false or name='y')").asksForName, true)
  assert.equal(parseQuery("'x' in parents").asksForName, false)
  assert.deepEqual(parseQuery("'x' in parents or ('y' in parents)").parents, ['x', 'y'])
})

const list = {
  nextPageToken: 'next',
  incompleteSearch: false,
  files: [
    { id: '1', name: 'a', shortcutDetails: { targetId: '2', targetMimeType: 'x' } },
    { id: '2', name: 'b' },
  ],
}

const masks: readonly (readonly [mask: string, expected: unknown])[] = [
  ['*', list],
  ['files/id', { files: [{ id: '1' }, { id: '2' }] }],
  ['files(id)', { files: [{ id: '1' }, { id: '2' }] }],
  ['nextPageToken, files(name)', { nextPageToken: 'next', files: [{ name: 'a' }, { name: 'b' }] }],
  ['files(shortcutDetails/targetId)', { files: [{ shortcutDetails: { targetId: '2' } }, {}] }],
  [
    'files(id,shortcutDetails(targetId))',
    {
      files: [{ id: '1', shortcutDetails: { targetId: '2' } }, { id: '2' }],
    },
  ],
  ['files/*', { files: list.files }],
  ['files(size)', { files: [{}, {}] }],
]

for (const [mask, expected] of masks) {
  test(`fields ${mask} shape the reply`, () => {
    assert.deepEqual(applyFieldMask(list, parseFieldMask(mask, fileListSchema)), expected)
  })
}

for (const mask of ['files(id', 'id)', 'files(bogus)', 'bogus', ',', 'files()', 'id,,name']) {
  test(`fields ${mask} are rejected`, () => {
    assert.throws(
      () => parseFieldMask(mask, mask.startsWith('files') ? fileListSchema : fileSchema),
      (error) => error instanceof GoogleError && error.reason === 'invalidParameter',
    )
  })
}
