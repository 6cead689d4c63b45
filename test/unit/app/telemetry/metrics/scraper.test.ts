import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ProcessMetrics } from '../../../../../src/app/telemetry/metrics/process-metrics.ts'
import { createScrape } from '../../../../../src/app/telemetry/metrics/scraper.ts'

const nothing = { snapshots: [], workers: 2, silent: 0, deaths: 0 }

test('Scrapes within a second share one answer, and a failed one is not kept', async (t) => {
  const metrics = new ProcessMetrics()
  t.after(() => metrics.close())
  let nowMs = 0
  let gathered = 0
  let isFailing = false
  const scrape = createScrape({
    metrics,
    now: () => nowMs,
    gatherWorkers: async () => {
      gathered += 1
      if (isFailing) throw new Error('no answer')
      return nothing
    },
  })
  const [one, other] = await Promise.all([scrape(), scrape()])
  assert.match(one, /^bucketry_workers 2$/m)
  assert.equal(one, other)
  nowMs = 999
  assert.equal(await scrape(), one)
  assert.equal(gathered, 1)
  nowMs = 1_000
  isFailing = true
  await assert.rejects(scrape())
  isFailing = false
  await scrape()
  assert.equal(gathered, 3)
})

test('A drive and a database that fail or hang leave their values out', {
  timeout: 20_000,
}, async (t) => {
  const metrics = new ProcessMetrics()
  t.after(() => metrics.close())
  metrics.watchUploads({
    statistics: () => ({ held: 3, refused: { 'out-of-turn': 0, 'too-many': 0 } }),
    countOpen: () => new Promise(() => undefined),
  })
  const text = await createScrape({ metrics })()
  assert.doesNotMatch(text, /^bucketry_open_uploads /m)
  assert.match(text, /^bucketry_held_parts 3$/m)
})
