import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { MainProcess } from '../support/main-process.ts'
import { until } from '../support/management-client.ts'

test('A signal during the start is not lost: no listener is replaced', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'bucketry-signals-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const preload = join(folder, 'preload.cjs')
  // Between a listener that is removed and one that is added, libuv drops a signal that has come.
  writeFileSync(
    preload,
    `for (const name of ['off', 'removeListener']) {
      const original = process[name]
      process[name] = function (event, ...rest) {
        if (/^SIG/.test(event)) process.stderr.write('removed a listener of ' + event)
        return original.call(this, event, ...rest)
      }
    }`,
  )
  for (const workers of ['1', '2']) {
    const settings = { WORKERS: workers, NODE_OPTIONS: `--require=${preload}` }
    const main = new MainProcess(folder, settings)
    t.after(() => main.kill())
    await main.url()
    main.signal('SIGTERM')
    assert.equal(await main.ended(), 0)
    assert.doesNotMatch(main.stderr, /removed a listener of SIG(?:TERM|INT)/)
  }
})

test('Nothing is printed when the primary ends while its workers start', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'bucketry-signals-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const mains = Array.from({ length: 6 }, (_, index) => {
    const own = join(folder, String(index))
    mkdirSync(own)
    return new MainProcess(own, { WORKERS: '3' })
  })
  t.after(() => Promise.all(mains.map((main) => main.kill())))
  await Promise.all(
    mains.map(async (main, index) => {
      await until(() => main.workers().length > index % 3)
      main.signal('SIGTERM')
      assert.equal(await main.ended(), 143)
      assert.equal(main.stderr, '')
    }),
  )
})
