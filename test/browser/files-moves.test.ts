import assert from 'node:assert/strict'
import { mkdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { before, describe, test } from 'node:test'
import { absenceOfChromium } from '../support/chromium.ts'
import { signIn, tokenOf, useDashboard } from '../support/dashboard.ts'
import { type FileBrowser, useFileBrowser, writeTree } from '../support/file-browser.ts'
import { testBucket } from '../support/gateway-process.ts'
import { ManagementClient } from '../support/management-client.ts'
import { signedFetch, targetOf } from '../support/signed-fetch.ts'

/** More than a server copies within seconds. */
const many = 10_000

/** What the page has for drags. */
interface DragGlobals {
  readonly DataTransfer: new () => { setData(type: string, text: string): void }
  readonly DragEvent: new (type: string, options: object) => Event
}

describe('Moves in the dashboard that meet others', { skip: absenceOfChromium() }, () => {
  const dashboard = useDashboard()
  const openAt = useFileBrowser(dashboard)
  const pathOf = (key: string): string => join(dashboard().gateway.driveFolder, testBucket, key)
  before(() => {
    writeTree(join(dashboard().gateway.driveFolder, testBucket), {
      'replace/a.txt': 'moved',
      'replace/to/a.txt': 'seen',
      'back/a.txt': 'moved',
      'back/to/a.txt': 'there',
      'stray/one.txt': '1',
      'stray/two.txt': '2',
      'stray/to/x': '',
      'folders/trip/a.txt': 'a',
      'folders/file': 'f',
      'folders/to/file/inside.txt': 'i',
      'lost/a.txt': 'a',
      'lost/b.txt': 'b',
      'lost/to/x': '',
      'leaving/secret.txt': 's',
      'odd/#1?%41+ .txt': 'sharp',
      'odd/\u{1f600} \u05d0\u05d1.txt': 'smile',
      'odd/ to /x': '',
      ...Object.fromEntries(Array.from({ length: many }, (_, index) => [`many/${index}`, ''])),
      'fresh/to/x': '',
      'hand/trip/a.txt': 'a',
      'hand/to/x': '',
    })
    mkdirSync(pathOf('folders/trip/2027'))
    mkdirSync(pathOf('folders/bare'))
    mkdirSync(pathOf('hand/trip/2027/may'), { recursive: true })
    mkdirSync(pathOf('hand/bare'))
  })

  async function openFolder(prefix: string): Promise<FileBrowser> {
    const files = await openAt(`/files/${testBucket}?prefix=${encodeURIComponent(prefix)}`)
    await files.page.getByRole('navigation', { name: 'Folder' }).waitFor()
    return files
  }

  async function contentOf(key: string): Promise<string> {
    const target = targetOf(testBucket, key)
    const reply = await signedFetch(dashboard().gateway, { method: 'GET', target })
    return reply.ok ? reply.text() : `status ${reply.status}`
  }

  const write = (key: string, body: string) =>
    signedFetch(dashboard().gateway, { method: 'PUT', target: targetOf(testBucket, key), body })

  test('Replace spares a file that came while the question stood', async () => {
    const files = await openFolder('replace/')
    await files.row('a.txt').dragTo(files.row('to'))
    await files.dialog.getByText('Existing: 4 bytes').waitFor()
    await write('replace/to/a.txt', 'not seen')
    await files.press('Replace')
    await files.transfers.getByText('0 moved, 1 not moved.').waitFor()
    assert.equal(await contentOf('replace/to/a.txt'), 'not seen')
    assert.equal(await contentOf('replace/a.txt'), 'moved')
  })

  test('rows of another window are not taken for those of a drag that was given up', async () => {
    const files = await openFolder('stray/')
    const { page } = files
    await files.row('one.txt').hover()
    await page.mouse.down()
    await page.mouse.move(5, 5, { steps: 5 })
    await page.keyboard.press('Escape')
    await page.mouse.up()
    const row = await files.row('to').elementHandle()
    const dropped = await row?.evaluate((element) => {
      const { DataTransfer, DragEvent } = globalThis as unknown as DragGlobals
      const dataTransfer = new DataTransfer()
      for (const id of ['', '-1', '-2-3']) {
        dataTransfer.setData(`application/x-bucketry-rows${id}`, '')
      }
      const options = { dataTransfer, bubbles: true, cancelable: true }
      return ['dragover', 'drop'].map((type) => element.dispatchEvent(new DragEvent(type, options)))
    })
    // Not taken: nobody prevented what the browser does with it.
    assert.deepEqual(dropped, [true, true])
    assert.equal(await contentOf('stray/one.txt'), '1')
  })

  test('a folder made by hand is moved with the empty folders in it', async () => {
    const files = await openFolder('folders/')
    for (const [name, to] of [
      ['trip', 'tour'],
      ['bare', 'naked'],
    ] as const) {
      await files.act(name, 'Rename')
      await files.dialog.getByLabel('New name').fill(to)
      await files.press('Rename')
      await files.name(to).waitFor()
      await files.transfers.getByText(`to “${to}”`).first().waitFor()
    }
    await files.transfers.getByText('1 moved.').waitFor()
    assert.equal(await contentOf('folders/tour/a.txt'), 'a')
    assert.ok(statSync(pathOf('folders/tour/2027')).isDirectory())
    assert.ok(statSync(pathOf('folders/naked')).isDirectory())
  })

  test('a folder made by hand is copied with the empty folders in it', async () => {
    const files = await openFolder('hand/')
    const { page } = files
    await files.select('trip', 'bare')
    await files.choose('More actions', 'Copy to')
    await page.getByRole('textbox', { name: 'Folder' }).fill('hand/to')
    await files.press('Copy')
    await files.transfers.getByText('1 copied.').waitFor()
    for (const folder of ['trip/2027/may', 'bare']) {
      assert.ok(statSync(pathOf(`hand/${folder}`)).isDirectory())
      assert.ok(statSync(pathOf(`hand/to/${folder}`)).isDirectory())
    }
  })

  test('a file and a folder of its name do not replace each other', async () => {
    const files = await openFolder('folders/')
    await files.row('file').dragTo(files.row('to'))
    await files.transfers.getByText(/^\d moved/).waitFor()
    assert.equal(await contentOf('folders/to/file/inside.txt'), 'i')
    const places = await Promise.all(['folders/file', 'folders/to/file'].map(contentOf))
    assert.deepEqual(places.sort(), ['f', 'status 404'])
  })

  test('a move continues while the page does not reach the server', async () => {
    const files = await openFolder('lost/')
    const { page } = files
    const asked = Promise.withResolvers<void>()
    await page.route('**/-/api/file-jobs/*', (route) => {
      if (route.request().method() !== 'GET') return route.continue()
      asked.resolve()
      return route.abort()
    })
    await files.select('a.txt', 'b.txt')
    await files.row('a.txt').dragTo(files.row('to'))
    await asked.promise
    await page.unroute('**/-/api/file-jobs/*')
    await files.transfers.getByText('2 moved.').waitFor()
    assert.equal(await contentOf('lost/a.txt'), 'status 404')
    assert.equal(await contentOf('lost/to/b.txt'), 'b')
  })

  test('every page shows what the server does, also after a reload, and can stop it', async () => {
    const files = await openAt('/activity')
    const client = new ManagementClient(dashboard().gateway.url, (await tokenOf(files.page)) ?? '')
    const { id } = await client.done('POST', '/file-jobs', {
      ...{ action: 'copy', bucket: testBucket, paths: ['many/'] },
      to: { bucket: testBucket, prefix: 'copies/' },
    })
    const job = files.transfers.getByRole('region', {
      name: `Copying “many” to “${testBucket}/copies/”`,
    })
    // An open page asks every two seconds.
    await job.getByRole('button', { name: 'Stop' }).waitFor()
    await files.page.reload()
    await job.getByRole('button', { name: 'Stop' }).click()
    const outcome = job.getByText(/^Stopped. [\d,]+ copied, the rest was not.$/)
    await outcome.waitFor()
    const { state, done } = await client.done('GET', `/file-jobs/${id}`)
    assert.deepEqual([state, done < many], ['cancelled', true])
  })

  test('an ended job is shown again after a reload, until it is dismissed', async () => {
    const files = await openFolder('back/')
    await files.select('a.txt')
    await files.row('a.txt').dragTo(files.row('to'))
    const job = files.transfers.getByText('0 moved, 1 not moved.')
    await files.press('Skip')
    await job.waitFor()
    await files.page.reload()
    await job.waitFor()
    await files.transfers.getByText('back/a.txt: An object with this name exists there.').waitFor()
    await files.transfers.getByRole('button', { name: 'Dismiss' }).click()
    await files.page.reload()
    await files.name('a.txt').waitFor()
    // The list of jobs has arrived when a running one is shown.
    assert.equal(await job.count(), 0)
    const storage = await files.page.evaluate(`sessionStorage.getItem('bucketry.file-jobs')`)
    assert.equal(storage, '[]')
  })

  test('odd names arrive as they are, and come back', async () => {
    const files = await openFolder('odd/')
    const names = ['#1?%41+ .txt', '\u{1f600} \u05d0\u05d1.txt']
    const rowOf = (start: string) => files.page.getByRole('row').filter({ hasText: start })
    for (const name of names) await rowOf(name.slice(0, 2)).getByRole('checkbox').click()
    await rowOf('#1').dragTo(rowOf('to').last())
    await files.transfers.getByText('2 moved.').waitFor()
    // While the pointer is there, they stay.
    await files.transfers.hover()
    assert.equal(await contentOf(`odd/ to /${names[0]}`), 'sharp')
    assert.equal(await contentOf(`odd/ to /${names[1]}`), 'smile')
    await files.transfers.getByRole('button', { name: 'Undo' }).click()
    await files.transfers.getByText('2 moved.').waitFor()
    assert.equal(await contentOf(`odd/${names[0]}`), 'sharp')
    assert.equal(await contentOf(`odd/${names[1]}`), 'smile')
  })

  test('a file is moved right after its upload', async () => {
    const files = await openFolder('fresh/')
    await files.page
      .locator('input[type=file]')
      .first()
      .setInputFiles({ name: 'new.txt', mimeType: 'text/plain', buffer: Buffer.from('n') })
    await files.name('new.txt').waitFor()
    await files.row('new.txt').dragTo(files.row('to'))
    await files.transfers.getByText('1 moved.').waitFor()
    assert.equal(await contentOf('fresh/to/new.txt'), 'n')
  })

  test('a sign-out leaves nothing to paste, to undo or to read', async () => {
    const files = await openFolder('leaving/')
    const { page } = files
    await files.act('secret.txt', 'Rename')
    await files.dialog.getByLabel('New name').fill('hidden.txt')
    await files.press('Rename')
    await files.name('hidden.txt').waitFor()
    await files.select('hidden.txt')
    await page.keyboard.press('Control+x')
    await page.getByRole('button', { name: 'Paste 1 item' }).waitFor()
    await page.getByRole('button', { name: 'Sign out' }).click()
    await signIn(page)
    await files.name('hidden.txt').waitFor()
    assert.equal(await page.getByRole('button', { name: 'Paste 1 item' }).count(), 0)
    assert.equal(await files.transfers.getByText('secret.txt').count(), 0)
  })
})
