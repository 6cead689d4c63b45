import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { isPasswordHash } from '../../../../src/dashboard/login/login-api.ts'

const password = 'correct horse é'
const hash = createHash('sha256').update(password).digest('hex')

const cases: readonly (readonly [title: string, hash: string, isRight: boolean])[] = [
  ['the hash in lower case', hash, true],
  ['the hash in upper case', hash.toUpperCase(), true],
  ['the hash of another password', createHash('sha256').update('x').digest('hex'), false],
  ['the password itself', password, false],
  ['nothing', '', false],
  ['64 zeros', '0'.repeat(64), false],
  ['64 characters that are no hex', 'z'.repeat(64), false],
  ['the hash and more', `${hash}00`, false],
  ['the hash without its end', hash.slice(0, -2), false],
  ['the hash and a line end', `${hash}\n`, false],
  ['the hash in base64', Buffer.from(hash, 'hex').toString('base64'), false],
]

for (const [title, given, isRight] of cases) {
  test(`isPasswordHash ${isRight ? 'takes' : 'refuses'} ${title}`, () => {
    assert.equal(isPasswordHash(given, password), isRight)
  })
}
