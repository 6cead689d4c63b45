import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { WriteConditions } from '../../../../src/storage/drives/drive.ts'
import { DriveError } from '../../../../src/storage/drives/drive-error.ts'
import {
  assertConditions,
  assertRemovalConditions,
} from '../../../../src/storage/drives/write-conditions.ts'

const name = { bucket: 'photos', key: 'a/b' }
const cases: [WriteConditions | undefined, etag: string | undefined, outcome: string][] = [
  [undefined, undefined, 'met'],
  [{}, 'e', 'met'],
  [{ ifMatch: '*' }, 'e', 'met'],
  [{ ifMatch: '*' }, undefined, 'not-found'],
  [{ ifMatch: ['d', 'e'] }, 'e', 'met'],
  [{ ifMatch: ['d'] }, 'e', 'condition'],
  [{ ifMatch: [] }, 'e', 'condition'],
  [{ ifNoneMatch: '*' }, undefined, 'met'],
  [{ ifNoneMatch: '*' }, 'e', 'condition'],
  [{ ifNoneMatch: ['d', 'e'] }, 'e', 'condition'],
  [{ ifNoneMatch: ['d'] }, 'e', 'met'],
  [{ ifMatch: ['e'], ifNoneMatch: ['e'] }, 'e', 'condition'],
]

describe('assertConditions', () => {
  for (const [conditions, etag, outcome] of cases) {
    it(`is ${outcome} for ${JSON.stringify(conditions)} on ${etag ?? 'nothing'}`, () => {
      const check = () => assertConditions(name, etag, conditions)
      if (outcome === 'met') check()
      else {
        assert.throws(check, (error) => error instanceof DriveError && error.kind === outcome)
        assert.throws(check, /photos\/a\/b/)
      }
    })
  }
})

describe('assertRemovalConditions', () => {
  const current = { etag: 'e', modifiedAtMs: 5 }
  const isMet = (...given: Parameters<typeof assertRemovalConditions>) =>
    assert.doesNotThrow(() => assertRemovalConditions(...given))
  const fails = (kind: string, ...given: Parameters<typeof assertRemovalConditions>) =>
    assert.throws(
      () => assertRemovalConditions(...given),
      (error) => error instanceof DriveError && error.kind === kind,
    )

  it('compares the time besides the ETag', () => {
    isMet(name, current, undefined)
    isMet(name, undefined, {})
    isMet(name, current, { ifMatch: ['e'], ifModifiedAtMs: 5 })
    fails('condition', name, current, { ifMatch: ['d'], ifModifiedAtMs: 5 })
    fails('condition', name, current, { ifMatch: ['e'], ifModifiedAtMs: 4 })
    fails('condition', name, current, { ifModifiedAtMs: 6 })
    fails('not-found', name, undefined, { ifMatch: ['e'], ifModifiedAtMs: 5 })
    fails('condition', name, undefined, { ifModifiedAtMs: 5 })
  })
})
