import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import fc from 'fast-check'
import { isPasswordHash } from '../../../../src/dashboard/login/login-api.ts'
import { passwordHash } from '../../../../web/src/session/password-hash.ts'

test('passwordHash returns what the login API expects', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (password) => {
      assert.equal(passwordHash(password), createHash('sha256').update(password).digest('hex'))
      assert.ok(isPasswordHash(passwordHash(password), password))
    }),
  )
})
