import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  type SessionStorage,
  SessionStore,
  sessionKey,
} from '../../../../web/src/session/session-store.ts'

class MemoryStorage implements SessionStorage {
  readonly items = new Map<string, string>()
  getItem(key: string): string | null {
    return this.items.get(key) ?? null
  }
  setItem(key: string, value: string): void {
    this.items.set(key, value)
  }
  removeItem(key: string): void {
    this.items.delete(key)
  }
}

class Browser {
  readonly storage = new MemoryStorage()
  nowMs = 1_000_000
  openTab(): SessionStore {
    return new SessionStore({ storage: () => this.storage, now: () => this.nowMs })
  }
}

test('SessionStore starts without a session', () => {
  const tab = new Browser().openTab()
  assert.equal(tab.status, 'none')
  assert.equal(tab.token, undefined)
})

test('SessionStore returns the token until it expires', () => {
  const browser = new Browser()
  const tab = browser.openTab()
  tab.begin('t1', 60)
  assert.equal(tab.token, 't1')
  assert.equal(tab.status, 'active')
  browser.nowMs += 60_000
  assert.equal(tab.token, undefined)
  assert.equal(tab.status, 'expired')
  assert.equal(browser.openTab().status, 'none')
})

test('SessionStore of a second tab is signed in', () => {
  const browser = new Browser()
  browser.openTab().begin('t1', 60)
  assert.equal(browser.openTab().token, 't1')
})

test('SessionStore of a tab opened after the session ended starts without one', () => {
  const browser = new Browser()
  browser.openTab().begin('t1', 60)
  browser.nowMs += 61_000
  assert.equal(browser.openTab().status, 'none')
})

test('expire ignores a token that is not the current one', () => {
  const tab = new Browser().openTab()
  tab.begin('t2', 60)
  tab.expire('t1')
  assert.equal(tab.token, 't2')
})

test('expire adopts a session that another tab has started', () => {
  const browser = new Browser()
  const tab = browser.openTab()
  tab.begin('t1', 60)
  browser.openTab().begin('t2', 60)
  tab.expire('t1')
  assert.equal(tab.token, 't2')
  assert.equal(browser.openTab().token, 't2')
})

test('reload follows another tab that signs out, and one that signs in again', () => {
  const browser = new Browser()
  const tab = browser.openTab()
  const other = browser.openTab()
  tab.begin('t1', 60)
  other.reload()
  assert.equal(other.token, 't1')
  tab.end()
  other.reload()
  assert.equal(other.status, 'none')
  tab.begin('t2', 60)
  other.reload()
  assert.equal(other.token, 't2')
})

test('reload asks for a new session if another tab found it expired, until that signs out', () => {
  const browser = new Browser()
  const tab = browser.openTab()
  const other = browser.openTab()
  tab.begin('t1', 60)
  other.reload()
  tab.expire('t1')
  other.reload()
  assert.equal(other.status, 'expired')
  tab.end()
  other.reload()
  assert.equal(other.status, 'none')
})

test('end removes the session', () => {
  const browser = new Browser()
  const tab = browser.openTab()
  tab.begin('t1', 60)
  tab.end()
  assert.equal(tab.status, 'none')
  assert.equal(browser.storage.items.size, 0)
})

test('notifies subscribers of every change until they unsubscribe', () => {
  const tab = new Browser().openTab()
  let calls = 0
  const stop = tab.subscribe(() => {
    calls += 1
  })
  tab.begin('t1', 60)
  tab.expire('t1')
  assert.equal(calls, 2)
  stop()
  tab.begin('t2', 60)
  assert.equal(calls, 2)
})

for (const stored of ['', '{', '"t"', '{"token":"t"}', '{"token":1,"expiresAtMs":9e15}']) {
  test(`SessionStore treats ${JSON.stringify(stored)} in the storage as no session`, () => {
    const browser = new Browser()
    browser.storage.setItem(sessionKey, stored)
    assert.equal(browser.openTab().status, 'none')
  })
}

test('SessionStore lasts as long as the page without browser storage', () => {
  const tab = new SessionStore({
    storage: () => {
      throw new Error('SecurityError')
    },
    now: () => 0,
  })
  tab.begin('t1', 60)
  assert.equal(tab.token, 't1')
  tab.end()
  assert.equal(tab.status, 'none')
})
