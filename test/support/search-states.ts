import type { Page } from 'playwright-core'
import { testBucket } from './gateway-process.ts'
import type { DashboardState } from './state-steps.ts'

const folder = `/files/${testBucket}?prefix=states/`

async function open(page: Page): Promise<void> {
  await page.getByRole('grid').waitFor()
  await page.keyboard.press('Control+k')
}

export const searchStates: readonly DashboardState[] = [
  {
    name: 'search',
    path: folder,
    async reach({ page, dialog }) {
      await open(page)
      await dialog.getByLabel('Part of a name').fill('t')
      await dialog.getByRole('option').first().waitFor()
      await dialog.getByText(/^\d+ results?$/).waitFor()
    },
  },
  {
    name: 'search that stops',
    path: folder,
    async reach({ page, dialog }) {
      await page.route('**/-/api/search?*', (route) =>
        route.fulfill({ body: '{"looked":1234567,"next":"on"}\n' }),
      )
      await open(page)
      await dialog.getByLabel('Part of a name').fill('none such')
      await dialog.getByRole('button', { name: 'Continue the search' }).waitFor()
    },
  },
  {
    name: 'search that fails',
    path: folder,
    async reach({ page, dialog }) {
      await page.route('**/-/api/search?*', (route) => route.fulfill({ status: 503, json: {} }))
      await open(page)
      await dialog.getByLabel('Part of a name').fill('t')
      await dialog.getByText('The search has stopped').waitFor()
    },
  },
]
