import assert from 'node:assert/strict'
import { test } from 'node:test'
import { UsageError } from '../../../../src/app/cli/command.ts'
import {
  durationOf,
  grantOf,
  grantText,
  limitOf,
  momentNote,
  momentOf,
} from '../../../../src/app/cli/key-options.ts'

for (const [text, grant] of [
  ['photos:read', { bucket: 'photos', prefix: '', actions: ['read'] }],
  ['*:all', { bucket: '*', prefix: '', actions: ['list', 'read', 'write', 'delete'] }],
  [
    'photos/a:b/:list,all',
    { bucket: 'photos', prefix: 'a:b/', actions: ['list', 'read', 'write', 'delete'] },
  ],
  ['photos/:manage', { bucket: 'photos', prefix: '', actions: ['manage'] }],
] as const) {
  test(`${text} is a grant`, () => {
    assert.deepEqual(grantOf(text), grant)
    assert.deepEqual(grantOf(grantText(grantOf(text))), grant)
  })
}

for (const text of ['', 'photos', ':read', '/a:read', 'photos:', 'photos:raed', 'photos:read,']) {
  test(`${JSON.stringify(text)} is not a grant`, () => {
    assert.throws(() => grantOf(text), UsageError)
  })
}

test('A date without a time is explained', () => {
  assert.match(momentNote('expires', '2027-01-31') ?? '', /rejected from 2027-01-31T00:00:00Z\./)
  for (const text of ['never', '2027-01-31T00:00:00Z']) {
    assert.equal(momentNote('expires', text), undefined)
  }
})

test('Durations, moments and limits are read strictly', () => {
  assert.deepEqual(
    ['90s', '15m', '24h', '7d', '0'].map((text) => durationOf('keep-old', text)),
    [90, 900, 86_400, 604_800, 0],
  )
  assert.equal(momentOf('expires', 'never'), null)
  assert.equal(momentOf('expires', '2027-01-31'), Date.UTC(2027, 0, 31))
  assert.equal(momentOf('expires', '2027-01-31T18:00:00+01:00'), Date.UTC(2027, 0, 31, 17))
  assert.equal(limitOf('requests-per-second', 'none'), null)
  assert.equal(limitOf('requests-per-second', '5'), 5)
  for (const text of ['', '5', '-1d', '1w']) assert.throws(() => durationOf('x', text), UsageError)
  for (const text of ['', '5', 'soon', '2027-13-01', '2027-01-31T18:00']) {
    assert.throws(() => momentOf('x', text), UsageError)
  }
  for (const text of ['', '-1', '1.5', 'many']) assert.throws(() => limitOf('x', text), UsageError)
})
