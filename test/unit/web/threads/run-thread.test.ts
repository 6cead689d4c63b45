import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { askThread } from '../../../../web/src/threads/run-thread.ts'

const options = {
  signal: new AbortController().signal,
  ...{ limitMs: 60_000, workMs: 15_000, late: 'late', broken: 'broken' },
}

type Listener = (event: { readonly data: unknown }) => void

/** A thread that says what the test says. */
class FakeThread {
  readonly tasks: unknown[] = []
  readonly #listeners = new Map<string, Listener>()

  addEventListener(type: string, listener: Listener): void {
    this.#listeners.set(type, listener)
  }

  postMessage(task: unknown): void {
    this.tasks.push(task)
  }

  terminate(): void {
    this.#listeners.clear()
  }

  say(data: unknown): void {
    this.#listeners.get('message')?.({ data })
  }
}

function asked(t: TestContext) {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const thread = new FakeThread()
  const answer = askThread(thread, 'task', options)
  assert.deepEqual(thread.tasks, ['task'])
  return { thread, answer, pass: (ms: number) => t.mock.timers.tick(ms) }
}

test('the time in which a thread reads is not that of its work', async (t) => {
  const { thread, answer, pass } = asked(t)
  for (const isReading of [true, false, true, false]) {
    pass(isReading ? 14_000 : 50_000)
    thread.say({ isReading })
  }
  pass(14_000)
  thread.say({ picture: 'here' })
  assert.deepEqual(await answer, { picture: 'here' })
})

test('a thread that works too long is late, also after it has read', async (t) => {
  const first = asked(t)
  first.pass(15_000)
  await assert.rejects(first.answer, /late/)
  t.mock.timers.reset()
  const second = asked(t)
  second.thread.say({ isReading: true })
  second.thread.say({ isReading: false })
  second.pass(15_000)
  await assert.rejects(second.answer, /late/)
})
