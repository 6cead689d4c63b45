import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { MoveQuestions } from '../../../../../web/src/files/change/move-questions.ts'

const never = new AbortController().signal

test('Questions of several moves are asked one after the other', async () => {
  const questions = new MoveQuestions()
  const first = questions.ask([], never)
  const second = questions.ask([], never)
  await turn()
  questions.snapshot()?.answer('replace')
  assert.equal(await first, 'replace')
  await turn()
  questions.snapshot()?.answer('keep-both')
  assert.equal(await second, 'keep-both')
  assert.equal(questions.snapshot(), undefined)
})

test('stopping a move withdraws its question and replaces nothing', async () => {
  const questions = new MoveQuestions()
  const stop = new AbortController()
  const answer = questions.ask([], stop.signal)
  await turn()
  assert.ok(questions.snapshot())
  stop.abort()
  assert.equal(await answer, 'skip')
  assert.equal(questions.snapshot(), undefined)
})
