import assert from 'node:assert/strict'
import { test } from 'node:test'
import { HeldText } from '../../../../web/src/ui/held-text.ts'

test('the field of a dialog takes what was typed while the dialog was loading', () => {
  const held = new HeldText()
  held.begin()
  for (const key of ['a', 'b', '😀', 'Backspace', 'ArrowLeft', 'c']) held.press(key)
  held.end()
  assert.deepEqual(held.take(), { text: 'abc', isEntered: false })
  assert.deepEqual(held.take(), { text: undefined, isEntered: false })
})

test('Enter ends what is typed; Backspace alone removes what is selected in the field', () => {
  const held = new HeldText()
  for (const key of ['Backspace', 'Enter', 'a']) held.press(key)
  assert.deepEqual(held.take(), { text: '', isEntered: true })
})

test('the field of a later dialog takes nothing of it', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const held = new HeldText()
  held.begin()
  held.press(' ')
  held.end()
  t.mock.timers.tick(1)
  assert.equal(held.take().text, undefined)
})
