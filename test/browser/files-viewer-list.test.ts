import { join } from 'node:path'
import { before, describe, test } from 'node:test'
import { absenceOfChromium } from '../support/chromium.ts'
import { useDashboard } from '../support/dashboard.ts'
import { useFileBrowser, writeTree } from '../support/file-browser.ts'
import { testBucket } from '../support/gateway-process.ts'

describe('The viewer and a list that comes before or after it', {
  skip: absenceOfChromium(),
}, () => {
  const dashboard = useDashboard()
  const openAt = useFileBrowser(dashboard)
  before(() => {
    const keys = ['early/1.txt', 'early/2.txt', 'unread/1.txt', 'unread/2.txt', 'quick/1.txt']
    const tree = Object.fromEntries(keys.map((key) => [key, `text of ${key}`]))
    writeTree(join(dashboard().gateway.driveFolder, testBucket), tree)
  })

  for (const [state, isRead] of [
    ['', true],
    [' and the details are not read yet', false],
  ] as const) {
    test(`the next file is shown if the list learns of the deletion before the viewer${state}`, async () => {
      const folder = isRead ? 'early' : 'unread'
      const files = await openAt(`/files/${testBucket}?prefix=${folder}/`)
      const { page, dialog } = files
      const learn = Promise.withResolvers<void>()
      await page.route('**/-/api/file-jobs/*', async (route) => {
        await learn.promise
        await route.continue()
      })
      if (!isRead) await page.route(/unread\/1\.txt/, () => undefined)
      await files.name('1.txt').click()
      await dialog.getByText(isRead ? 'text of early/1.txt' : 's3://photos/unread/1.txt').waitFor()
      await page.keyboard.press('Delete')
      await files.name('1.txt').waitFor({ state: 'detached' })
      learn.resolve()
      await dialog.getByText(`text of ${folder}/2.txt`).waitFor()
      await page.unrouteAll({ behavior: isRead ? 'wait' : 'ignoreErrors' })
    })
  }

  test('F2 and Delete work before the list has the viewed file', async () => {
    const files = await openAt('/files')
    const { page, dialog } = files
    const listed = Promise.withResolvers<void>()
    await page.route('**/-/api/folder?*', async (route) => {
      await listed.promise
      await route.continue().catch(() => undefined)
    })
    const query = '?prefix=quick/&view=1.txt'
    await page.goto(`${dashboard().gateway.url}/-/files/${testBucket}${query}`)
    await dialog.getByText('text of quick/1.txt').waitFor()
    await page.keyboard.press('F2')
    await page.getByLabel('New name').fill('2.txt')
    await page.keyboard.press('Enter')
    await page.getByRole('dialog', { name: '2.txt', exact: true }).waitFor()
    await page.keyboard.press('Delete')
    await dialog.waitFor({ state: 'detached' })
    listed.resolve()
    await page.getByText('This folder is empty').waitFor()
    await page.unrouteAll({ behavior: 'wait' })
  })
})
