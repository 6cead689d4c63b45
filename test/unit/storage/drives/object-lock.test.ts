import assert from 'node:assert/strict'
import { test } from 'node:test'
import type {
  AttributeChange,
  Attributes,
  LockRules,
  Retention,
} from '../../../../src/storage/drives/attributes.ts'
import { DriveError } from '../../../../src/storage/drives/drive-error.ts'
import { assertUnlocked, changedAttributes } from '../../../../src/storage/drives/object-lock.ts'

const nowMs = Date.UTC(2026, 0, 1)
const later = nowMs + 1_000
const plain: Attributes = { etag: 'e', headers: {}, metadata: {} }
const governance: Retention = { mode: 'GOVERNANCE', untilMs: later }
const compliance: Retention = { mode: 'COMPLIANCE', untilMs: later }
const bypass: LockRules = { nowMs, bypassesGovernance: true }

const isLocked = (error: unknown) => error instanceof DriveError && error.kind === 'locked'

const removals: readonly (readonly [
  title: string,
  attributes: Partial<Attributes>,
  lock: LockRules | undefined,
  isAllowed: boolean,
])[] = [
  ['a version without a lock', {}, undefined, true],
  ['a retention, without rules', { retention: governance }, undefined, false],
  [
    'an ended retention, without rules',
    { retention: { ...governance, untilMs: 0 } },
    undefined,
    false,
  ],
  ['a retention that ends now', { retention: compliance }, { nowMs: later }, true],
  ['a retention that ends in 1 ms', { retention: compliance }, { nowMs: later - 1 }, false],
  ['GOVERNANCE', { retention: governance }, { nowMs }, false],
  ['GOVERNANCE with bypass', { retention: governance }, bypass, true],
  ['COMPLIANCE with bypass', { retention: compliance }, bypass, false],
  ['a legal hold with bypass', { legalHold: true }, { ...bypass, nowMs: later }, false],
  ['a removed legal hold', { legalHold: false }, undefined, true],
]

for (const [title, attributes, lock, isAllowed] of removals) {
  test(`assertUnlocked ${isAllowed ? 'allows' : 'refuses'} the removal of ${title}`, () => {
    const check = () => assertUnlocked({ ...plain, ...attributes }, lock)
    if (isAllowed) check()
    else assert.throws(check, isLocked)
  })
}

const changes: readonly (readonly [
  title: string,
  before: Retention | undefined,
  after: Retention | null,
  lock: LockRules | undefined,
  isAllowed: boolean,
])[] = [
  ['a first retention', undefined, compliance, undefined, true],
  ['the same retention', compliance, compliance, { nowMs }, true],
  ['a longer one', compliance, { ...compliance, untilMs: later + 1 }, { nowMs }, true],
  ['a shorter one', compliance, { ...compliance, untilMs: later - 1 }, bypass, false],
  [
    'a shorter one of GOVERNANCE',
    governance,
    { ...governance, untilMs: later - 1 },
    { nowMs },
    false,
  ],
  ['a shorter one with bypass', governance, { ...governance, untilMs: later - 1 }, bypass, true],
  ['COMPLIANCE instead of GOVERNANCE', governance, compliance, { nowMs }, false],
  ['COMPLIANCE instead of GOVERNANCE with bypass', governance, compliance, bypass, true],
  [
    'GOVERNANCE instead of COMPLIANCE',
    compliance,
    { ...governance, untilMs: later + 1 },
    bypass,
    false,
  ],
  ['none instead of COMPLIANCE', compliance, null, bypass, false],
  ['none instead of GOVERNANCE', governance, null, { nowMs }, false],
  ['none instead of GOVERNANCE with bypass', governance, null, bypass, true],
  ['none instead of one that has ended', compliance, null, { nowMs: later }, true],
]

for (const [title, before, retention, lock, isAllowed] of changes) {
  test(`changedAttributes ${isAllowed ? 'accepts' : 'refuses'} ${title}`, () => {
    const attributes = before === undefined ? plain : { ...plain, retention: before }
    const change: AttributeChange = { retention, ...(lock && { lock }) }
    const check = () => changedAttributes(attributes, change)
    if (isAllowed) assert.deepEqual(check().retention, retention ?? undefined)
    else assert.throws(check, isLocked)
  })
}

test('changedAttributes keeps that a legal hold was removed', () => {
  const held = changedAttributes(plain, { legalHold: true })
  assert.deepEqual(held, { ...plain, legalHold: true })
  assert.deepEqual(changedAttributes(held, { legalHold: false }), { ...plain, legalHold: false })
})
