import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { before, describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { absenceOfChromium } from '../support/chromium.ts'
import { startCuttingProxy } from '../support/cutting-proxy.ts'
import { signIn, useDashboard } from '../support/dashboard.ts'
import { FileBrowser, useFileBrowser, writeTree } from '../support/file-browser.ts'
import { testBucket } from '../support/gateway-process.ts'
import { readZip } from '../unit/storage/archive/zip-folder.ts'

const large = Buffer.alloc(8 * 1024 * 1024, 'resumable ')

describe('Downloading in the dashboard', { skip: absenceOfChromium() }, () => {
  const dashboard = useDashboard()
  const openAt = useFileBrowser(dashboard)
  before(() => {
    writeTree(join(dashboard().gateway.driveFolder, testBucket), {
      'get/a "b" é%.txt': 'one',
      'get/there.txt': 'two',
      'get/tree/1/x.txt': 'x',
      'get/tree/2/y.txt': 'y',
      'get/large.bin': large,
    })
  })

  async function saved(page: Page, start: () => Promise<unknown>) {
    const event = page.waitForEvent('download')
    await start()
    const download = await event
    return { name: download.suggestedFilename(), path: await download.path() }
  }

  function contentOf(path: string): Readonly<Record<string, string | null>> {
    const { bad, entries } = readZip(path)
    assert.equal(bad, null)
    return Object.fromEntries(entries.map(([name, , , , text]) => [name, text]))
  }

  test('a file has its own name', async () => {
    const files = await openAt(`/files/${testBucket}?prefix=get/`)
    const { name, path } = await saved(files.page, () => files.act('a "b" é%.txt', 'Download'))
    // Chromium replaces quotes in file names.
    assert.equal(name, 'a _b_ é%.txt')
    assert.equal(readFileSync(path, 'utf8'), 'one')
  })

  test('a folder is one ZIP file', async () => {
    const files = await openAt(`/files/${testBucket}?prefix=get/`)
    const { name, path } = await saved(files.page, () => files.act('tree', 'Download'))
    assert.equal(name, 'tree.zip')
    assert.deepEqual(contentOf(path), { 'tree/1/x.txt': 'x', 'tree/2/y.txt': 'y' })
  })

  test('several entries are one ZIP file', async () => {
    const files = await openAt(`/files/${testBucket}?prefix=get/`)
    await files.select('a "b" é%.txt', 'there.txt', 'tree')
    const { name, path } = await saved(files.page, () =>
      files.page.getByRole('button', { name: 'Download', exact: true }).click(),
    )
    assert.equal(name, 'get.zip')
    assert.deepEqual(contentOf(path), {
      'a _b_ é%.txt': 'one',
      'there.txt': 'two',
      'tree/1/x.txt': 'x',
      'tree/2/y.txt': 'y',
    })
  })

  test('the browser goes on with a download that was cut off', async (t) => {
    const proxy = await startCuttingProxy(Number(new URL(dashboard().gateway.url).port), {
      ...{ request: /^GET \/[^ ]*large\.bin\?/, bytes: 3_000_000 },
    })
    t.after(() => proxy.close())
    const page = await dashboard().open('/')
    await page.goto(`http://127.0.0.1:${proxy.port}/-/files/${testBucket}?prefix=get/`)
    await signIn(page)
    const files = new FileBrowser(page)
    await files.row('large.bin').waitFor()
    const { path } = await saved(page, () => files.act('large.bin', 'Download'))
    assert.ok(readFileSync(path).equals(large))
    const resumed = proxy.heads.filter((head) => /^range: bytes=[1-9]/im.test(head))
    assert.equal(resumed.length, 1)
    assert.match(resumed[0] ?? '', /^if-range: "/im)
  })
})
