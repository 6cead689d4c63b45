import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { absenceOfChromium } from '../support/chromium.ts'
import { tokenOf, useDashboard } from '../support/dashboard.ts'
import { type FileBrowser, useFileBrowser, writeTree } from '../support/file-browser.ts'
import { testBucket } from '../support/gateway-process.ts'
import { until } from '../support/management-client.ts'
import { signedFetch, targetOf } from '../support/signed-fetch.ts'

const mebibyte = 1024 * 1024

describe('Uploads after a reload', { skip: absenceOfChromium() }, () => {
  const dashboard = useDashboard()
  const openAt = useFileBrowser(dashboard)
  const disk = mkdtempSync(join(tmpdir(), 'bucketry-resume-'))
  /** Three parts. */
  const film = randomBytes(40 * mebibyte)
  before(() => writeTree(disk, { 'film.bin': film }))
  after(() => rmSync(disk, { recursive: true, force: true }))

  async function isOpen(page: Page, key: string): Promise<boolean> {
    const reply = await fetch(`${dashboard().gateway.url}/-/api/uploads`, {
      headers: { authorization: `Bearer ${await tokenOf(page)}` },
    })
    const { uploads } = (await reply.json()) as { uploads: { key: string }[] }
    return uploads.some((upload) => upload.key === key)
  }

  async function hashOf(key: string): Promise<string> {
    const target = targetOf(testBucket, key)
    const reply = await signedFetch(dashboard().gateway, { method: 'GET', target })
    assert.equal(reply.status, 200, key)
    return sha256(Buffer.from(await reply.arrayBuffer()))
  }

  /** Drops the file and stops at its second part, which never arrives. */
  async function begin(folder: string): Promise<FileBrowser & { readonly parts: number[] }> {
    const files = await openAt(`/files/${testBucket}?prefix=${folder}/`)
    const { page } = files
    await page.getByText('does not exist').waitFor()
    page.on('dialog', (dialog) => dialog.accept())
    const parts: number[] = []
    page.on('request', (request) => {
      const number = new URL(request.url()).searchParams.get('partNumber')
      if (number !== null) parts.push(Number(number))
    })
    const held = Promise.withResolvers<void>()
    const isSecond = (url: URL) => url.searchParams.get('partNumber') === '2'
    await page.route(isSecond, () => held.resolve(), { times: 1 })
    await files.drop(join(disk, 'film.bin'))
    await held.promise
    return Object.assign(files, { parts })
  }

  /** The page after a reload, when it takes files. */
  async function reload({ page }: FileBrowser): Promise<void> {
    await page.reload()
    await page.getByText('does not exist').waitFor()
  }

  function interrupted({ transfers }: FileBrowser, folder: string) {
    return transfers.getByRole('region', { name: `Interrupted upload of ${folder}/film.bin` })
  }

  test('the same file goes on with the missing parts', async () => {
    const files = await begin('resume')
    const { page, parts } = files
    await reload(files)
    await interrupted(files, 'resume').getByText('choose the same file again in').waitFor()
    await files.drop(join(disk, 'film.bin'))
    await files.transfers.getByText('1 file uploaded', { exact: true }).waitFor()
    assert.deepEqual(parts, [1, 2, 2, 3])
    assert.equal(await hashOf('resume/film.bin'), sha256(film))
    await page.reload()
    await files.row('film.bin').waitFor()
    assert.equal(await interrupted(files, 'resume').count(), 0)
  })

  test('Discard deletes the parts on the server', async () => {
    const files = await begin('discard')
    await files.page.reload()
    assert.equal(await isOpen(files.page, 'discard/film.bin'), true)
    await interrupted(files, 'discard')
      .getByRole('button', { name: /^Discard/ })
      .click()
    await interrupted(files, 'discard').waitFor({ state: 'detached' })
    assert.equal(await isOpen(files.page, 'discard/film.bin'), false)
  })

  test('the page gets no key while a question about uploads is loading', async () => {
    const context = (await openAt(`/files/${testBucket}`)).page.context()
    const loaded = Promise.withResolvers<void>()
    const popups = '**/assets/popups-*.js'
    await context.route(popups, async (route) => {
      await loaded.promise
      await route.continue()
    })
    const files = await begin('question')
    await files.transfers.getByRole('button', { name: 'Cancel all' }).click()
    // The list below would open its help.
    await files.page.keyboard.press('?')
    loaded.resolve()
    await files.press('Cancel the upload')
    await files.transfers.waitFor({ state: 'detached' })
    assert.equal(await files.dialog.count(), 0)
    await context.unroute(popups)
  })

  test('an upload of a living tab is not offered in another', async () => {
    const files = await begin('tabs')
    const other = await files.page.context().newPage()
    await other.goto(files.page.url())
    const row = other.getByRole('region', { name: 'Interrupted upload of tabs/film.bin' })
    await other.getByText('does not exist').waitFor()
    const names = () =>
      other.evaluate(async () => (await navigator.locks.query()).held?.map(({ name }) => name))
    assert.equal((await names())?.filter((name) => name?.includes('upload')).length, 1)
    assert.equal(await row.count(), 0)
    await files.page.close()
    await until(async () => (await names())?.length === 0)
    await other.reload()
    await row.waitFor()
  })

  test('a changed file is uploaded from the beginning, and its old parts are deleted', async () => {
    const files = await begin('changed')
    await reload(files)
    await interrupted(files, 'changed').waitFor()
    const changed = randomBytes(40 * mebibyte)
    writeTree(disk, { 'film.bin': changed })
    await files.drop(join(disk, 'film.bin'))
    await files.transfers.getByText('1 file uploaded', { exact: true }).waitFor()
    assert.deepEqual(files.parts, [1, 2, 1, 2, 3])
    assert.equal(await hashOf('changed/film.bin'), sha256(changed))
    assert.equal(await isOpen(files.page, 'changed/film.bin'), false)
  })
})

function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}
