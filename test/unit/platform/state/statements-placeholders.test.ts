import assert from 'node:assert/strict'
import { test } from 'node:test'
import { numberPlaceholders } from '../../../../src/platform/state/statements.ts'

test('numberPlaceholders numbers question marks from left to right', () => {
  assert.equal(
    numberPlaceholders('INSERT INTO t (a, b) VALUES (?, ?) ON CONFLICT DO NOTHING'),
    'INSERT INTO t (a, b) VALUES ($1, $2) ON CONFLICT DO NOTHING',
  )
})

test('numberPlaceholders leaves texts, quoted names and comments as they are', () => {
  const quoted = `'?' 'it''s ?' "a ""?" -- ?\n/* ? \n ? */`
  assert.equal(numberPlaceholders(`${quoted} ?`), `${quoted} $1`)
})
