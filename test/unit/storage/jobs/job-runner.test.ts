import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Database } from '../../../../src/platform/state/database.ts'
import { openTestDatabase } from '../../dashboard/management/management-fixture.ts'
import { openJobs } from './jobs-fixture.ts'

test('a job stops when its lease has ended, also while the database does not respond', async (t) => {
  const opened = await openTestDatabase(t)
  const asked = Promise.withResolvers<void>()
  const hanging = (sql: string, ...rest: unknown[]) => {
    // The question whether the job was asked to stop.
    if (!/^SELECT is_cancelled/.test(sql)) return opened.read(sql, ...(rest as []))
    asked.resolve()
    return new Promise(() => undefined)
  }
  const database = new Proxy(opened, {
    get: (target, name) => {
      if (name === 'read') return hanging
      const value = Reflect.get(target, name)
      return typeof value === 'function' ? value.bind(target) : value
    },
  }) as Database
  const clock = { now: 1_000_000 }
  const { process } = openJobs(t, database, clock)
  const started = await process().start({
    ...{ kind: 'delete', id: 'one', target: '', beganAtMs: clock.now, figures: {}, fields: {} },
    ...{ failure: 'failed', limits: { running: 1, ended: 1 } },
    work: ({ signal }) =>
      new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
  })
  await asked.promise
  clock.now += 60_000
  const late = new Promise((resolve) => setTimeout(resolve, 3_000, 'late').unref())
  assert.equal(await Promise.race([started?.ended, late]), undefined)
})
