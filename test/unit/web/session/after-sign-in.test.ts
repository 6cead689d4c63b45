import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { ApiError } from '../../../../web/src/api/api-error.ts'
import { afterSignIn } from '../../../../web/src/session/after-sign-in.ts'
import type { SessionStatus } from '../../../../web/src/session/session-store.ts'

class FakeStore {
  status: SessionStatus = 'active'
  readonly #listeners = new Set<() => void>()

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  set(status: SessionStatus): void {
    this.status = status
    for (const listener of this.#listeners) listener()
  }

  get listenerCount(): number {
    return this.#listeners.size
  }
}

const over = new ApiError('Sign in first.', { status: 401 })

describe('afterSignIn', () => {
  test('repeats work rejected without a session after the next sign-in', async () => {
    const store = new FakeStore()
    let tries = 0
    const done = afterSignIn(async () => {
      tries += 1
      if (tries > 1) return 'done'
      store.set('expired')
      throw over
    }, store)
    await turn()
    assert.equal(tries, 1)
    store.set('active')
    assert.equal(await done, 'done')
    assert.equal(store.listenerCount, 0)
  })

  test('gives up after a sign-out', async () => {
    const store = new FakeStore()
    const done = afterSignIn(async () => {
      if (store.status === 'active') store.set('expired')
      throw over
    }, store)
    await turn()
    store.set('none')
    await assert.rejects(done, over)
  })

  test('leaves other failures as they are', async () => {
    const failure = new ApiError('?', { status: 500 })
    const done = afterSignIn(() => Promise.reject(failure), new FakeStore())
    await assert.rejects(done, failure)
  })
})
