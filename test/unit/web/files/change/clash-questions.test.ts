import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { ClashQuestions } from '../../../../../web/src/files/change/clash-questions.ts'

const never = new AbortController().signal

test('questions are asked one after the other', async () => {
  const questions = new ClashQuestions()
  const first = questions.ask([], never)
  const second = questions.ask([], never)
  await turn()
  questions.snapshot()?.answer(() => 'replace')
  assert.equal((await first)?.('a'), 'replace')
  await turn()
  questions.snapshot()?.answer(() => 'keep-both')
  assert.equal((await second)?.('a'), 'keep-both')
  assert.equal(questions.snapshot(), undefined)
})

test('aborting withdraws a question without an answer', async () => {
  const questions = new ClashQuestions()
  const stop = new AbortController()
  const answer = questions.ask([], stop.signal)
  await turn()
  assert.ok(questions.snapshot())
  stop.abort()
  assert.equal(await answer, undefined)
  assert.equal(questions.snapshot(), undefined)
})
