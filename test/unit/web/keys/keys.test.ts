import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  type KeyReply,
  keyBody,
  keyChangeBody,
} from '../../../../src/dashboard/management/key-routes.ts'
import { checkKeyInput } from '../../../../src/storage/access/key-input.ts'
import { bodyOf, draftOf, newDraft } from '../../../../web/src/keys/key-draft.ts'
import {
  chosenActions,
  grantedBucket,
  grantText,
  keyStates,
  presetOf,
  presets,
  usableKeys,
} from '../../../../web/src/keys/key-text.ts'

const nowMs = Date.UTC(2026, 10, 23)
const key: KeyReply = {
  ...{ accessKeyId: 'BK', name: 'app', note: '', source: 'created', isDisabled: false },
  grants: [{ bucket: 'photos', prefix: 'a/', actions: ['read', 'list'] }],
  createdAt: '2026-01-01T00:00:00.000Z',
  ...{ expiresAt: null, lastUsedAt: null, oldSecretUntil: null, problem: null },
  ...{ unknownBuckets: [] },
  limits: { requestsPerSecond: null, bytes: null },
}

test('usableKeys leaves out keys that are refused', () => {
  const refused = [
    { isDisabled: true },
    { expiresAt: new Date(nowMs).toISOString() },
    { problem: 'It was sealed with another secret key.' },
  ]
  const keys = refused.map((change) => ({ ...key, ...change }))
  assert.deepEqual(usableKeys([...keys, key], nowMs), [key])
})

test('grantedBucket is a bucket that the key is for', () => {
  const grant = { bucket: '*', prefix: '', actions: [] }
  assert.equal(grantedBucket({ grants: [grant, ...key.grants] }), 'photos')
  assert.equal(grantedBucket({ grants: [grant] }), undefined)
})

test('A grant is described in words', () => {
  const grant = { bucket: 'photos', prefix: '', actions: ['read', 'list'] } as const
  const text = (change: object) => grantText({ ...grant, actions: [...grant.actions], ...change })
  assert.equal(text({}), 'photos: list and read')
  assert.equal(text({ bucket: '*', prefix: 'a/' }), 'All buckets, a/…: list and read')
  assert.equal(text({ actions: ['write', 'list'] }), 'photos: list, write')
  assert.equal(
    text({ actions: ['create', 'read', 'list'] }),
    'photos: list, read and add new files',
  )
  const everything = presets.find(({ id }) => id === 'all')?.actions ?? []
  assert.equal(text({ actions: everything.toReversed() }), 'photos: everything')
  assert.equal(presetOf(['write']), undefined)
})

test('Of adding files and writing, the one that was chosen last applies', () => {
  assert.deepEqual(chosenActions(['list', 'create'], ['list', 'create', 'write']), [
    'list',
    'write',
  ])
  assert.deepEqual(chosenActions(['list', 'write'], ['write', 'list', 'create']), [
    'list',
    'create',
  ])
  assert.deepEqual(chosenActions(['write'], ['write', 'bypass']), ['write', 'bypass'])
  assert.deepEqual(chosenActions(['create'], []), [])
})

test('Each preset is a valid grant', () => {
  for (const { actions } of presets) {
    checkKeyInput({ grants: [{ bucket: 'photos', prefix: '', actions }] }, () => true)
  }
})

test('The states of a key are what is unusual about it', () => {
  const labels = (change: Partial<KeyReply>) =>
    keyStates({ ...key, ...change }, nowMs).map(({ label }) => label)
  assert.deepEqual(labels({}), [])
  assert.deepEqual(labels({ isDisabled: true, source: 'file' }), ['disabled', 'from ACCESS_KEYS'])
  assert.deepEqual(labels({ expiresAt: '2026-11-22T23:59:59Z' }), ['expired'])
  assert.deepEqual(labels({ expiresAt: '2026-11-24T00:00:00Z' }), [])
  assert.deepEqual(labels({ oldSecretUntil: '2026-11-24T00:00:00Z' }), ['old secret still valid'])
  assert.deepEqual(labels({ oldSecretUntil: '2026-11-22T00:00:00Z' }), [])
  assert.deepEqual(labels({ problem: 'Sealed with another key.' }), ['not usable'])
})

test('The form of a stored key sends back what is stored', () => {
  const stored: KeyReply = {
    ...key,
    note: 'n',
    limits: { requestsPerSecond: 5, bytes: 3 * 2 ** 30 },
  }
  const body = bodyOf(draftOf(stored))
  assert.deepEqual(body, {
    ...{ name: 'app', note: 'n', grants: stored.grants, expiresAt: null, limits: stored.limits },
  })
  assert.ok(keyBody.safeParse(body).success)
  assert.ok(keyChangeBody.safeParse(body).success)
})

test('A key is valid through the chosen day', () => {
  const body = bodyOf({ ...newDraft('photos'), name: 'x', expires: '2027-01-31', gib: '0.5' })
  assert.ok(keyBody.safeParse(body).success)
  assert.equal(new Date(body.expiresAt ?? '').getDate(), 31)
  assert.equal(draftOf({ ...key, expiresAt: body.expiresAt }).expires, '2027-01-31')
  assert.equal(body.limits.bytes, 2 ** 29)
  assert.deepEqual(body.grants, [{ bucket: 'photos', prefix: '', actions: ['list', 'read'] }])
})
