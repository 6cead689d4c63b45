import assert from 'node:assert/strict'
import { test } from 'node:test'
import { WorkerScrape } from '../../../../../src/app/telemetry/metrics/scraper.ts'
import { TimeLimitError } from '../../../../../src/platform/process/time-limit.ts'

test('Scrapes of a worker at the same time ask the primary once', async () => {
  let asked = 0
  const scrapes = new WorkerScrape(() => {
    asked += 1
  })
  const both = [scrapes.scrape(), scrapes.scrape()]
  scrapes.receive('text')
  assert.deepEqual(await Promise.all(both), ['text', 'text'])
  const later = scrapes.scrape()
  scrapes.receive(undefined)
  await assert.rejects(later, /could not gather/)
  assert.equal(asked, 2)
})

test('A scrape ends when the primary does not answer, and the next one asks again', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const scrapes = new WorkerScrape(() => undefined)
  const silent = scrapes.scrape()
  t.mock.timers.tick(10_000)
  await assert.rejects(silent, TimeLimitError)
  const next = scrapes.scrape()
  scrapes.receive('text')
  assert.equal(await next, 'text')
})
