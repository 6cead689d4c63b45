import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DatabaseError } from '../../../../../src/platform/state/database.ts'
import {
  isConflict,
  keepsConnection,
  toPostgresError,
} from '../../../../../src/platform/state/postgres/postgres-errors.ts'

const withCode = (code: string) => Object.assign(new Error('the driver says so'), { code })

test('isConflict is true only for errors that a retry can resolve', () => {
  for (const code of ['40001', '40P01']) assert.equal(isConflict(withCode(code)), true, code)
  for (const code of ['23505', '57P01', 'ECONNREFUSED']) {
    assert.equal(isConflict(withCode(code)), false, code)
  }
  assert.equal(isConflict(undefined), false)
})

test('keepsConnection tells by SQLSTATE, not by the language of the message', () => {
  for (const code of ['40001', '23505', '42P01', '57014', '55P03', '53100']) {
    const error = Object.assign(withCode(code), { severity: 'FEHLER' })
    assert.equal(keepsConnection(error), true, code)
  }
  for (const code of ['08006', '57P01', '57P05', '25P03', 'XX000']) {
    const error = Object.assign(withCode(code), { severity: 'ERROR' })
    assert.equal(keepsConnection(error), false, code)
  }
})

test('toPostgresError describes what happened, with the cause', () => {
  const expected = [
    ['53100', /out of disk space/],
    ['28P01', /rejects the user or the password/],
    ['55P03', /another program keeps locked/],
    ['57P01', /shutting down/],
    ['23505', /rejects the statement/],
    ['ECONNREFUSED', /is not responding/],
    ['ETIMEDOUT', /is not responding/],
  ] as const
  for (const [code, words] of expected) {
    const cause = withCode(code)
    const error = toPostgresError(cause, 'postgres://db/bucketry')
    assert.match(error.message, words, code)
    assert.match(error.message, /postgres:\/\/db\/bucketry/)
    assert.equal(error.cause, cause)
  }
})

test('toPostgresError leaves our own errors as they are', () => {
  const error = new DatabaseError('closed')
  assert.equal(toPostgresError(error, 'any'), error)
})
