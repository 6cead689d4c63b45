import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseFieldMask } from './field-mask.ts'
import { fileListSchema, fileSchema } from './file-resource.ts'
import { GoogleError } from './google-error.ts'
import { parseQuery } from './query-parser.ts'

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

for (const mask of ['files(id', 'id)', 'files(bogus)', 'bogus', ',', 'files()', 'id,,name']) {
  test(`fields ${mask} are rejected`, () => {
    assert.throws(
      () => parseFieldMask(mask, mask.startsWith('files') ? fileListSchema : fileSchema),
      (error) => error instanceof GoogleError && error.reason === 'invalidParameter',
    )
  })
}
