import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import type { Route } from 'playwright-core'
import { absenceOfChromium } from '../support/chromium.ts'
import { useDashboard } from '../support/dashboard.ts'
import { type FileBrowser, useFileBrowser, writeTree } from '../support/file-browser.ts'
import { testBucket } from '../support/gateway-process.ts'
import { signedFetch, targetOf } from '../support/signed-fetch.ts'

describe('Uploading to a taken name', { skip: absenceOfChromium() }, () => {
  const dashboard = useDashboard()
  const openAt = useFileBrowser(dashboard)
  const disk = mkdtempSync(join(tmpdir(), 'bucketry-taken-'))
  before(() => {
    writeTree(disk, {
      'clash.txt': 'new',
      'photo.bin': randomBytes(300_000),
      // Two parts.
      'middle.bin': randomBytes(17 * 1024 * 1024),
    })
  })
  after(() => rmSync(disk, { recursive: true, force: true }))

  async function openFolder(prefix: string): Promise<FileBrowser> {
    const files = await openAt(`/files/${testBucket}?prefix=${prefix}`)
    await files.page.getByText('does not exist').waitFor()
    return files
  }

  /** The object with this key. */
  async function stored(key: string): Promise<Buffer> {
    const target = targetOf(testBucket, key)
    const reply = await signedFetch(dashboard().gateway, { method: 'GET', target })
    assert.equal(reply.status, 200, key)
    return Buffer.from(await reply.arrayBuffer())
  }

  test('asks about a name conflict: keep both, skip, replace', async () => {
    const target = targetOf(testBucket, 'clash/clash.txt')
    await signedFetch(dashboard().gateway, { method: 'PUT', target, body: 'old' })
    const files = await openAt(`/files/${testBucket}?prefix=clash/`)
    await files.row('clash.txt').waitFor()
    await files.drop(join(disk, 'clash.txt'))
    await files.press('Keep both')
    await files.row('clash (2).txt').waitFor()
    assert.equal((await stored('clash/clash (2).txt')).toString(), 'new')
    await files.drop(join(disk, 'clash.txt'))
    await files.press('Skip')
    await files.dialog.waitFor({ state: 'detached' })
    assert.equal((await stored('clash/clash.txt')).toString(), 'old')
    await files.drop(join(disk, 'clash.txt'))
    const replaced = files.page.waitForResponse(
      (reply) => reply.request().method() === 'PUT' && reply.url().endsWith('/clash.txt'),
    )
    await files.press('Replace')
    assert.equal((await replaced).status(), 200)
    assert.equal((await stored('clash/clash.txt')).toString(), 'new')
  })

  for (const name of ['clash.txt', 'photo.bin', 'middle.bin']) {
    test(`Replace asks again if the file has changed since the question: ${name}`, async () => {
      const key = `seen/${name}`
      const target = targetOf(testBucket, key)
      const write = (body: string) =>
        signedFetch(dashboard().gateway, { method: 'PUT', target, body })
      await write('seen')
      const files = await openAt(`/files/${testBucket}?prefix=seen/`)
      await files.row(name).waitFor()
      await files.drop(join(disk, name))
      await files.dialog.getByText('Existing: 4 bytes').waitFor()
      await write('not seen')
      await files.press('Replace')
      await files.transfers.getByText('The file has changed since you were asked.').waitFor()
      assert.equal((await stored(key)).toString(), 'not seen')
      await signedFetch(dashboard().gateway, { method: 'DELETE', target })
      await files.transfers.getByRole('button', { name: `Replace ${key}` }).click()
      await files.transfers.getByText('1 file uploaded', { exact: true }).waitFor()
      assert.ok((await stored(key)).equals(readFileSync(join(disk, name))))
      await files.drop(join(disk, name))
      await files.dialog.getByText('Existing').waitFor()
      await signedFetch(dashboard().gateway, { method: 'DELETE', target })
      await files.press('Replace')
      await files.transfers.getByText('no longer exists').waitFor()
      await files.transfers.getByRole('button', { name: `Replace ${key}` }).click()
      await files.transfers.getByText('1 file uploaded', { exact: true }).waitFor()
    })
  }

  for (const [name, other] of [
    ['a small file whose reply was lost has arrived', 'new'],
    ['a file of somebody else that came before a second attempt is not replaced', 'own'],
  ] as const) {
    test(name, async () => {
      const files = await openFolder(`lost-${other}/`)
      const key = `lost-${other}/clash.txt`
      const target = targetOf(testBucket, key)
      const isObject = ({ pathname }: URL) => pathname === `/${testBucket}/${key}`
      const cutOff = async (route: Route) => {
        await signedFetch(dashboard().gateway, { method: 'PUT', target, body: other })
        await route.abort()
      }
      await files.page.route(isObject, cutOff, { times: 1 })
      await files.drop(join(disk, 'clash.txt'))
      await files.transfers
        .getByText(other === 'new' ? '1 file uploaded' : 'already exists', {
          exact: other === 'new',
        })
        .waitFor()
      assert.equal((await stored(key)).toString(), other)
    })
  }

  test('Keep both in the row of a taken name uploads under another one', async () => {
    const files = await openFolder('both/')
    const isObject = ({ pathname }: URL) => pathname === `/${testBucket}/both/clash.txt`
    const target = targetOf(testBucket, 'both/clash.txt')
    const comeFirst = async (route: Route) => {
      await signedFetch(dashboard().gateway, { method: 'PUT', target, body: 'theirs' })
      await route.continue()
    }
    await files.page.route(isObject, comeFirst, { times: 1 })
    await files.drop(join(disk, 'clash.txt'))
    await files.transfers.getByRole('button', { name: 'Replace both/clash.txt' }).click()
    await files.press('Keep both')
    await files.transfers.getByText('1 file uploaded', { exact: true }).waitFor()
    assert.equal((await stored('both/clash.txt')).toString(), 'theirs')
    assert.equal((await stored('both/clash (2).txt')).toString(), 'new')
  })
})
