import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { before, describe, test } from 'node:test'
import fc from 'fast-check'
import { isReachable, objectPath } from '../../web/src/files/entries/object-address.ts'
import { locationPath } from '../../web/src/files/files-location.ts'
import { absenceOfChromium } from '../support/chromium.ts'
import { useDashboard } from '../support/dashboard.ts'
import { useFileBrowser, writeTree } from '../support/file-browser.ts'
import { testBucket } from '../support/gateway-process.ts'

/** Keys of the characters that mean something in an address, and of any others. */
const anyPart = fc.oneof(
  fc.constantFrom('%', '%25', '%2F', '%2f', '%00', '+', '&', '=', '#', '?', '/', '..'),
  fc.string({ unit: 'binary', maxLength: 5 }),
)
const anyText = fc.array(anyPart, { maxLength: 8 }).map((parts) => parts.join(''))

describe('Addresses of the dashboard', { skip: absenceOfChromium() }, () => {
  const dashboard = useDashboard()
  const openAt = useFileBrowser(dashboard)
  const onDrive = (path: string) => join(dashboard().gateway.driveFolder, testBucket, path)
  before(() =>
    writeTree(onDrive('signs'), {
      'percent%20.txt': 'percent',
      'a%2Fb.txt': 'slash',
      'a/b.txt': 'another file',
      '50%25 off/inside.txt': 'inside',
      '50% off/outside.txt': 'outside',
    }),
  )

  for (const [name, content] of [
    ['percent%20.txt', 'percent'],
    ['a%2Fb.txt', 'slash'],
  ] as const) {
    test(`open the file ${name}, also after a reload`, async () => {
      const files = await openAt(`/files/${testBucket}?prefix=signs/`)
      await files.name(name).click()
      await files.dialog.getByText(content, { exact: true }).waitFor()
      await files.page.reload()
      await files.dialog.getByText(content, { exact: true }).waitFor()
      await files.dialog.getByText(`s3://${testBucket}/signs/${name}`).waitFor()
    })
  }

  test('open the folder 50%25 off, and uploads go into it', async () => {
    const files = await openAt(`/files/${testBucket}?prefix=signs/`)
    await files.name('50%25 off').click()
    await files.name('inside.txt').waitFor()
    await files.page.reload()
    await files.name('inside.txt').waitFor()
    await files.search.fill('50%25')
    await files.page.getByText('No name in 50%25 off contains “50%25”').waitFor()
    await files.page.getByRole('button', { name: 'Clear the search' }).click()
    await files.name('inside.txt').waitFor()
    await files.drop(onDrive('signs/percent%20.txt'))
    await files.name('percent%20.txt').waitFor()
    assert.equal(readFileSync(onDrive('signs/50%25 off/percent%20.txt'), 'utf8'), 'percent')
  })

  test('show the key that they were made of, whatever the key is', async () => {
    const { page } = await openAt('/files')
    let run = 0
    const property = fc.asyncProperty(anyText, anyText, anyText, async (folder, filter, file) => {
      run += 1
      const location = { bucket: 'b', prefix: `${run}${folder}/`, filter, view: `v${file}` }
      const { prefix, view } = location
      const requests = Promise.all([
        page.waitForRequest((one) => new URL(one.url()).pathname === '/-/api/folder'),
        // The page does not request a path that the browser would change.
        isReachable(prefix + view)
          ? page.waitForRequest((one) => one.method() === 'HEAD')
          : undefined,
      ])
      const address = `/-${locationPath(location)}`
      await page.evaluate(`history.pushState(null, '', ${JSON.stringify(address)})`)
      const [list, head] = await requests
      const asked = new URL(list.url()).searchParams
      assert.equal(asked.get('prefix'), prefix)
      if (head) assert.equal(new URL(head.url()).pathname, objectPath('b', prefix + view))
    })
    await fc.assert(property, { numRuns: 40 })
  })

  test('keep a search for models with percent signs', async () => {
    const page = await dashboard().openSignedIn('/models/listed')
    const search = page.getByLabel('Search the models')
    await search.fill('%2541%')
    await page.getByText(/^GET \/v1\/models 0 of/).waitFor()
    assert.equal(await search.inputValue(), '%2541%')
    await page.reload()
    await page.getByText(/^GET \/v1\/models 0 of/).waitFor()
    assert.equal(await search.inputValue(), '%2541%')
  })
})
