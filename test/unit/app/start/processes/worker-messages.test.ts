import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { test } from 'node:test'
import { ownCheck, sharedCheck } from '../../../../../src/app/start/processes/worker-messages.ts'

const module = new URL('../../../../../src/app/start/processes/worker-messages.ts', import.meta.url)
  .href

/** What a process sends as a message. */
const sender = `
  const { sharedCheck } = await import('${module}')
  const atMs = performance.now()
  const numbers = new Map([['buckets', 4]])
  const check = { numbers, askedAtMs: atMs, isDoubtful: true, time: [7, atMs, atMs + 5] }
  process.stdout.write(JSON.stringify(sharedCheck(check)))`

test('The times of another process are read by the clock of this one', () => {
  const beforeMs = performance.now()
  const text = execFileSync(process.execPath, ['--input-type=module', '-e', sender], {
    encoding: 'utf8',
  })
  const { numbers, askedAtMs, isDoubtful, time } = ownCheck(JSON.parse(text))
  assert.deepEqual([...numbers], [['buckets', 4]])
  assert.equal(isDoubtful, true)
  assert.ok(beforeMs < askedAtMs && askedAtMs < performance.now())
  assert.deepEqual(time, [7, askedAtMs, (time?.[1] ?? 0) + 5])
})

test('A check without a time of the database stays without one', () => {
  const check = { numbers: new Map(), askedAtMs: 3, isDoubtful: false, time: undefined }
  const { time, askedAtMs } = ownCheck(JSON.parse(JSON.stringify(sharedCheck(check))))
  assert.equal(time, undefined)
  assert.ok(Math.abs(askedAtMs - 3) < 0.001)
})
