import assert from 'node:assert/strict'
import { utimesSync } from 'node:fs'
import { join } from 'node:path'
import { before, describe, test } from 'node:test'
import type { FolderCountsReply } from '../../src/dashboard/management/folders/folder-count-routes.ts'
import { absenceOfChromium } from '../support/chromium.ts'
import { barriers, useDashboard } from '../support/dashboard.ts'
import { type FileBrowser, useFileBrowser, writeTree } from '../support/file-browser.ts'
import { testBucket } from '../support/gateway-process.ts'

describe('Sizes of folders in the dashboard', { skip: absenceOfChromium() }, () => {
  const dashboard = useDashboard()
  const openAt = useFileBrowser(dashboard)
  before(() => {
    const bucket = join(dashboard().gateway.driveFolder, testBucket)
    const small = Array.from({ length: 12 }, (_, index) => [`many/f${index}/x`, 'x'.repeat(index)])
    writeTree(bucket, {
      'sizes/big/a.bin': new Uint8Array(3_000),
      'sizes/big/deep/b.bin': new Uint8Array(1_096),
      'sizes/little/c.txt': 'c',
      'sizes/other/d.txt': 'd',
      'sizes/file.txt': 'file',
      ...Object.fromEntries(small),
    })
    const newest = new Date('2031-02-03T04:05:06Z')
    utimesSync(join(bucket, 'sizes/big/deep/b.bin'), newest, newest)
  })

  async function openFolder(prefix: string): Promise<FileBrowser> {
    const files = await openAt(`/files/${testBucket}?prefix=${prefix}`)
    await files.grid.waitFor()
    return files
  }

  test('a person calculates sizes, which stay after a reload and give the order', async () => {
    const files = await openFolder('sizes/')
    await files.act('big', 'Calculate size')
    await files.row('big').getByText('4.00 KiB').waitFor()
    await files
      .row('big')
      .getByText(/Feb 0?3, 2031/)
      .waitFor()
    await files.row('big').locator('[data-tip^="2 objects, 4,096 bytes, counted"]').waitFor()
    assert.deepEqual(await barriers(files.page), [])
    await files.page.reload()
    await files.row('big').getByText('4.00 KiB').waitFor()
    await files.act('little', 'Calculate size')
    await files.row('little').getByText('1 byte').waitFor()
    await files.page.getByRole('button', { name: 'Size', exact: true }).click()
    assert.deepEqual(await files.names(), ['big', 'little', 'other', 'file.txt'])
    await files.page.getByRole('button', { name: 'Size', exact: true }).click()
    assert.deepEqual(await files.names(), ['little', 'big', 'other', 'file.txt'])
    await files.page.getByRole('button', { name: 'Name', exact: true }).click()
    assert.deepEqual(dashboard().complaints(), [])
  })

  test('more folders than are counted at once are all counted', async () => {
    const files = await openFolder('many/')
    await files.page.getByRole('checkbox', { name: 'Select all' }).check()
    await files.choose('More actions', 'Calculate size')
    for (let index = 0; index < 12; index += 1) {
      const size = index === 1 ? '1 byte' : `${index} bytes`
      await files.row(`f${index}`).getByText(size, { exact: true }).waitFor()
    }
    await files.page.getByText('Counting').waitFor({ state: 'detached' })
  })

  test('the details of a folder count it, and count it again', async () => {
    const files = await openFolder('sizes/')
    await files.act('other', 'Details')
    await files.dialog.getByText('1 byte').waitFor()
    const { driveFolder } = dashboard().gateway
    writeTree(join(driveFolder, testBucket), { 'sizes/other/more.txt': '1234' })
    await files.press('Count again')
    await files.dialog.getByText('5 bytes').waitFor()
    await files.page.keyboard.press('Escape')
    await files.row('other').getByText('5 bytes').waitFor()
  })

  test('a count shows what it has found, and is stopped', async () => {
    const files = await openFolder('sizes/')
    const { page } = files
    let isStopped = false
    const count = (isCounting: boolean): FolderCountsReply['counts'][number] => ({
      ...{ id: 'some', bucket: testBucket, prefix: 'sizes/big/', isCounting, problem: null },
      ...{ objects: null, bytes: null, lastModified: null, countedAt: null },
      found: { objects: 12_345, bytes: 2_048 },
    })
    await page.route('**/-/api/folder-counts**', (route) => {
      const method = route.request().method()
      if (method === 'DELETE') isStopped = true
      if (method !== 'GET') return route.fulfill({ json: count(!isStopped) })
      return route.fulfill({ json: { counts: [count(!isStopped)] } })
    })
    await files.act('big', 'Calculate size')
    await files.row('big').getByText('2.00 KiB…').waitFor()
    await files.row('big').locator('[data-tip="Counting: 12,345 so far"]').waitFor()
    await page.getByText('Counting 1 folder').waitFor()
    assert.deepEqual(await barriers(page), [])
    await page.getByRole('button', { name: 'Stop counting' }).click()
    await page.getByText('Counting 1 folder').waitFor({ state: 'detached' })
    assert.equal(isStopped, true)
  })
})
