import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseLayout } from '../../../../../web/src/files/entries/stored-layout.ts'

test('the layout is read as it was stored; what is no layout is the list', () => {
  for (const layout of ['list', 'grid']) assert.equal(parseLayout(JSON.stringify(layout)), layout)
  for (const text of ['', 'grid', '{', '"tiles"', 'null', null, undefined]) {
    assert.equal(parseLayout(text), 'list')
  }
})
