import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ShareReply } from '../../../../src/dashboard/shares/share-schemas.ts'
import {
  draftOf,
  endChange,
  mistakesOf,
  newShareDraft,
  shareBodyOf,
  shareChangeOf,
} from '../../../../web/src/shares/share-draft.ts'

const target = { kind: 'file', bucket: 'photos', path: 'a.png' } as const
const nowMs = Date.parse('2026-11-26T12:00:00Z')

test('shareBodyOf leaves out what was not typed', () => {
  assert.deepEqual(shareBodyOf({ ...newShareDraft, days: '' }, target, nowMs), {
    ...target,
    ...{ title: '', note: '', expiresAt: null, password: null, accessKeyId: null, maxUses: null },
  })
})

test('shareBodyOf counts days from now, and includes the last day', () => {
  const typed = { maxUses: '3', note: ' for Ada ', password: ' spaces count ', accessKeyId: 'AK' }
  const body = shareBodyOf({ ...newShareDraft, ...typed }, target, nowMs)
  assert.deepEqual(body, {
    ...target,
    ...{
      title: '',
      note: 'for Ada',
      expiresAt: '2026-12-03T12:00:00.000Z',
      password: ' spaces count ',
    },
    ...{ accessKeyId: 'AK', maxUses: 3 },
  })
  const onDate = shareBodyOf({ ...newShareDraft, days: 'date', date: '2026-12-24' }, target, nowMs)
  assert.equal('types' in onDate, false)
  const drop = { ...target, kind: 'drop', path: 'a/' } as const
  const limits = { maxFileMib: '1.5', maxMib: '0.0000001', types: '.PDF, *.jpg;pdf  png' }
  const limited = shareBodyOf({ ...newShareDraft, ...limits }, drop, nowMs)
  assert.deepEqual(
    [limited.maxFileBytes, limited.maxBytes, limited.types],
    [1_572_864, 1, ['pdf', 'jpg', 'png']],
  )
  assert.equal(onDate.expiresAt, new Date('2026-12-24T23:59:59').toISOString())
})

test('mistakesOf names a day that is over and a short password', () => {
  const mistakes = (more: object) => mistakesOf({ ...newShareDraft, ...more }, nowMs)
  assert.deepEqual(mistakes({}), {
    ...{ date: undefined, password: undefined, types: undefined },
  })
  assert.match(mistakes({ types: 'pdf, a/b' }).types ?? '', /file name extensions/)
  assert.match(mistakes({ days: 'date' }).date ?? '', /Choose today or a later day/)
  assert.match(
    mistakes({ days: 'date', date: '2026-11-25' }).date ?? '',
    /Choose today or a later day/,
  )
  assert.equal(mistakes({ days: 'date', date: '2026-11-28' }).date, undefined)
  assert.match(mistakes({ password: '1234567' }).password ?? '', /8 characters/)
})

const share: ShareReply = {
  ...{ shareId: 'abc', kind: 'drop', bucket: 'photos', path: 'in/', items: [], title: 'Ours' },
  ...{ note: '', accessKeyId: null, expiresAt: '2026-12-01T10:11:12.000Z', maxBytes: 5_000_000 },
  ...{ maxFileBytes: null, types: ['pdf'], maxUses: 3, url: null, hasPassword: true, uses: 1 },
  ...{ createdAt: '2026-11-01T00:00:00Z', bytes: 1, views: 1, lastUsedAt: null, end: null },
}

test('shareChangeOf has only what was changed in the form', () => {
  const change = (more: object) => shareChangeOf({ ...draftOf(share), ...more }, share, nowMs)
  assert.deepEqual(change({}), {})
  assert.deepEqual(change({ title: ' New ', maxUses: '' }), { title: 'New', maxUses: null })
  assert.deepEqual(change({ days: '' }), { expiresAt: null })
  assert.deepEqual(change({ days: '1' }), { expiresAt: '2026-11-27T12:00:00.000Z' })
  assert.deepEqual(change({ maxMib: '' }), { maxBytes: null })
  assert.deepEqual(change({ types: 'pdf, TXT', maxFileMib: '1' }), {
    ...{ types: ['pdf', 'txt'], maxFileBytes: 1_048_576 },
  })
  assert.deepEqual(change({ password: 'eight letters' }), { password: 'eight letters' })
  assert.deepEqual(change({ isPasswordRemoved: true }), { password: null })
})

test('a date begins as the day on which the link would have ended', () => {
  const now = Date.parse('2026-11-27T12:00:00')
  const ofMonth = { ...newShareDraft, days: '30' }
  assert.deepEqual(endChange(ofMonth, 'date', now), { days: 'date', date: '2026-12-27' })
  assert.deepEqual(endChange({ ...ofMonth, days: '' }, 'date', now).date, '2026-12-04')
  assert.deepEqual(endChange({ ...ofMonth, date: '2026-12-24' }, 'date', now), { days: 'date' })
  assert.deepEqual(endChange(ofMonth, '1', now), { days: '1' })
})
