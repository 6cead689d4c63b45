import { testBucket } from './gateway-process.ts'
import { button, type DashboardState, openMenu, press } from './state-steps.ts'

const folder = `/files/${testBucket}?prefix=states/`
const results = `${folder}&in=below`

export const searchStates: readonly DashboardState[] = [
  {
    name: 'search',
    path: `${results}&filter=t`,
    shown: /^\d+ results?$/,
  },
  {
    name: 'search that stops',
    path: '/files',
    async reach({ page, search }) {
      await page.route('**/-/api/search?*', (route) =>
        route.fulfill({ body: '{"looked":1234567,"next":"on"}\n' }),
      )
      await search.fill('none such')
      await search.press('Enter')
    },
    shown: 'Continue the search',
  },
  {
    name: 'search that fails',
    path: folder,
    async reach({ page, search }) {
      await page.route('**/-/api/search?*', (route) => route.fulfill({ status: 503, json: {} }))
      await search.fill('none')
      await button(page, 'Search everywhere').click()
    },
    shown: 'The search has stopped',
  },
]

/** The filters and the menus above the list of a folder. */
export const headerStates: readonly DashboardState[] = [
  {
    name: 'filter without result',
    path: `${folder}&filter=none`,
    shown: 'Search in the folders below',
  },
  { name: 'filters', path: `${folder}&filter=t&kind=document`, shown: 'notes.md' },
  { name: 'new menu', path: folder, reach: press('New'), shown: openMenu },
  { name: 'folder menu', path: folder, reach: press('Folder actions'), shown: openMenu },
  {
    name: 'path menu',
    path: `/files/${testBucket}?prefix=${'a folder of a long name/'.repeat(6)}`,
    reach: press('Folders above'),
    shown: openMenu,
  },
]
