import type { CDPSession, Page } from 'playwright-core'
import { tipped } from '../../test/support/tipped.ts'
import { buckets, shownFolder, shownPicture } from './demo-files.ts'

export interface Shot {
  /** The file name without its extension. */
  readonly name: string
  readonly viewport: { readonly width: number; readonly height: number }
  readonly colorScheme: 'light' | 'dark'
  readonly isPhone?: boolean
  /** Below `/-`. */
  readonly path: string
  /** Brings the page into the state of the picture. */
  readonly prepare: (page: Page, uploaded: readonly string[]) => Promise<void>
}

const desktop = { width: 1280, height: 800 }
const folderPath = `/files/photos?prefix=${shownFolder}`

/** The speed of a home connection in bytes per second, so that uploads take a while. */
const uploadPace = 12 * 1024 * 1024

export const shots: readonly Shot[] = [
  {
    name: 'overview',
    viewport: { width: 1280, height: 1024 },
    colorScheme: 'light',
    path: '/overview',
    prepare: async (page) => {
      await page
        .getByText('counted')
        .nth(buckets.length - 1)
        .waitFor()
      await page.getByRole('slider', { name: 'Requests' }).waitFor()
    },
  },
  {
    name: 'preview',
    viewport: { width: 1120, height: 700 },
    colorScheme: 'dark',
    path: folderPath,
    prepare: async (page) => {
      await page.locator(tipped(shownPicture)).click()
      await page.getByRole('img', { name: shownPicture }).waitFor()
    },
  },
  {
    name: 'grid',
    viewport: { width: 1280, height: 640 },
    colorScheme: 'dark',
    path: folderPath,
    prepare: async (page) => {
      await page.getByRole('button', { name: 'Show as grid' }).click()
      // Away from the button, which would show its tooltip.
      await page.mouse.move(0, 0)
      const pictures = page.getByRole('gridcell').filter({ hasText: '.jpg' })
      await pictures.filter({ hasText: 'Rain over Hamnøy' }).waitFor()
      for (const picture of await pictures.all()) await picture.locator('img').waitFor()
    },
  },
  {
    name: 'share',
    viewport: { width: 1280, height: 680 },
    colorScheme: 'light',
    path: folderPath,
    prepare: async (page) => {
      await page.locator(tipped(shownPicture)).click({ button: 'right' })
      await page.getByRole('menuitem', { name: 'Share' }).click()
      await page.getByRole('button', { name: 'Create link' }).waitFor()
    },
  },
  {
    name: 'keys',
    viewport: { width: 1280, height: 600 },
    colorScheme: 'light',
    path: '/keys',
    prepare: (page) => page.getByText('photo frame').waitFor(),
  },
  {
    name: 'models',
    viewport: desktop,
    colorScheme: 'dark',
    path: '/models/listed',
    prepare: (page) => page.getByText('openai/gpt-5', { exact: true }).waitFor(),
  },
  {
    name: 'connections',
    viewport: { width: 1280, height: 540 },
    colorScheme: 'light',
    path: '/models/connections',
    prepare: (page) => page.getByText('Workstation').waitFor(),
  },
  {
    name: 'phone',
    viewport: { width: 400, height: 800 },
    isPhone: true,
    colorScheme: 'light',
    path: folderPath,
    prepare: (page) => page.locator(tipped(shownPicture)).waitFor(),
  },
  // Last, because the uploaded files would appear in the other pictures.
  {
    name: 'files',
    viewport: desktop,
    colorScheme: 'light',
    path: folderPath,
    prepare: showUploads,
  },
]

async function showUploads(page: Page, uploaded: readonly string[]): Promise<void> {
  await slowUploads(await page.context().newCDPSession(page))
  await page
    .locator('input[type=file]')
    .first()
    .setInputFiles([...uploaded])
  for (const name of ['Boathouses.jpg', 'Drying racks.jpg', shownPicture]) {
    const row = page.getByRole('row').filter({ has: page.locator(tipped(name)) })
    await row.getByRole('checkbox').click()
  }
  // At this point the two small files are uploaded and the two large ones are in progress.
  await page
    .getByText(/^1[4-8]\d MiB of \d+ MiB$/)
    .first()
    .waitFor()
}

async function slowUploads(devtools: CDPSession): Promise<void> {
  await devtools.send('Network.enable')
  await devtools.send('Network.emulateNetworkConditions', {
    offline: false,
    latency: 0,
    downloadThroughput: -1,
    uploadThroughput: uploadPace,
  })
}
