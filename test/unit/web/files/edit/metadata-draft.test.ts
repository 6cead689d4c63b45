import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  changeOf,
  draftOf,
  headerProblem,
  isValid,
  type MetadataDraft,
  rowProblem,
  rowsProblem,
  withRow,
} from '../../../../../web/src/files/edit/metadata-draft.ts'
import type { ObjectDetails } from '../../../../../web/src/files/s3/object-details.ts'

const details: ObjectDetails = {
  ...{ size: 1, contentType: 'text/plain', etag: 'e', modifiedAtMs: 0 },
  headers: [['Content-Disposition', 'é']],
  checksums: [],
  metadata: [
    ['one', '1'],
    ['two', '2'],
  ],
}

const row = (id: number, name: string, value = '', isRemoval = false) => ({
  ...{ id, name, value, isRemoval },
})
const withFields = (draft: MetadataDraft, fields: Partial<MetadataDraft['fields']>) => ({
  ...draft,
  fields: { ...draft.fields, ...fields },
})

test('the form of a file shows what it has, and changes nothing at first', () => {
  const draft = draftOf(details)
  assert.equal(draft.fields['Content-Type'].value, 'text/plain')
  assert.deepEqual(draft.rows, [row(0, 'one', '1'), row(1, 'two', '2')])
  assert.deepEqual(changeOf(draft, details), { headers: new Map(), metadata: new Map() })
  // What another client has stored is no mistake of this person.
  assert.ok(isValid(draft))
})

test('the form of a file changes what is typed, and removes the lines that are gone', () => {
  const draft = withFields(draftOf(details), {
    'Content-Type': { isChanged: true, value: ' text/html ' },
    'Cache-Control': { isChanged: true, value: '' },
  })
  const rows = [row(0, 'one', 'other'), row(2, 'Three', '3')]
  const { headers, metadata } = changeOf({ ...draft, rows }, details)
  assert.deepEqual([...headers], [['Content-Type', 'text/html']])
  assert.deepEqual(
    [...metadata],
    [
      ['one', 'other'],
      ['three', '3'],
      ['two', undefined],
    ],
  )
})

test('the form of several files changes only what is chosen', () => {
  const empty = draftOf(undefined)
  const draft = withFields(empty, { 'Cache-Control': { isChanged: true, value: '' } })
  const rows = [row(0, 'a', '1'), row(1, 'b', 'x', true)]
  const { headers, metadata } = changeOf({ ...draft, rows }, undefined)
  assert.deepEqual([...headers], [['Cache-Control', '']])
  assert.deepEqual(
    [...metadata],
    [
      ['a', '1'],
      ['b', undefined],
    ],
  )
})

test('a new line has a number of its own', () => {
  const once = withRow(draftOf(details))
  assert.deepEqual(once.rows.at(-1), row(2, ''))
  assert.deepEqual(withRow({ ...once, rows: [] }).rows, [row(0, '')])
})

for (const [name, value, isGood] of [
  ['Content-Type', 'text/plain; charset=utf-8', true],
  ['Content-Type', 'image/svg+xml', true],
  ['Content-Type', '', true],
  ['Content-Type', 'jpeg', false],
  ['Content-Type', 'image/', false],
  ['Cache-Control', 'public, max-age=60', true],
  ['Cache-Control', 'näh', false],
  ['Content-Encoding', 'a\tb', false],
  ['Content-Disposition', 'attachment; filename="é"', false],
] as const) {
  test(`${name} may ${isGood ? '' : 'not '}be ${JSON.stringify(value)}`, () => {
    assert.equal(headerProblem(name, value) === undefined, isGood)
    const draft = withFields(draftOf(undefined), { [name]: { isChanged: true, value } })
    assert.equal(isValid(draft), isGood)
  })
}

test('each line has a name that a header can have, and no two lines the same', () => {
  const rows = [row(0, 'A'), row(1, 'a'), row(2, ''), row(3, 'é'), row(4, 'a b'), row(5, 'a-b.c')]
  const problems = rows.map((each) => rowProblem(each, rows))
  assert.deepEqual(problems, [
    undefined,
    'This name is already used.',
    'Enter a name.',
    'Use letters, digits, hyphens and dots.',
    'Use letters, digits, hyphens and dots.',
    undefined,
  ])
  assert.equal(isValid({ ...draftOf(undefined), rows }), false)
})

test('all lines together have at most 2,048 bytes, but for those that are removed', () => {
  assert.equal(rowsProblem([row(0, 'a', 'x'.repeat(2_047))]), undefined)
  assert.match(rowsProblem([row(0, 'a', 'x'.repeat(2_048))]) ?? '', /2,048 bytes. These have 2,049/)
  assert.equal(rowsProblem([row(0, 'a', 'x'.repeat(4_000), true)]), undefined)
})
