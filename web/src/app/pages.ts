import {
  IconActivity,
  IconFolder,
  IconKey,
  IconLayoutDashboard,
  IconLink,
  IconPlugConnected,
  IconSettings,
  IconSparkles,
  IconTrash,
} from '@tabler/icons-react'
import type { ComponentType } from 'react'
import type { frameTexts } from '../texts/frame.ts'
import { lateComponent } from './late-component.tsx'

type PageName = keyof typeof frameTexts.page

/** A page of the dashboard, in a chunk of its own so that the first page does not wait for the others. */
export interface Page {
  readonly href: string
  /** Matches the addresses that the page shows. */
  readonly pattern: string
  readonly name: PageName
  readonly Icon: ComponentType<{ readonly size: number; readonly stroke: number }>
  readonly Content: ComponentType
  readonly load: () => Promise<unknown>
}

/** The pages for daily use, and those for setup. */
export const pageGroups: readonly (readonly Page[])[] = [
  [
    page('/files', 'files', IconFolder, async () => {
      const { FilesPage } = await import('../files/files-page.tsx')
      return FilesPage
    }),
    page('/overview', 'overview', IconLayoutDashboard, async () => {
      const { OverviewPage } = await import('../overview/overview-page.tsx')
      return OverviewPage
    }),
    page('/shares', 'links', IconLink, async () => {
      const { SharesPage } = await import('../shares/shares-page.tsx')
      return SharesPage
    }),
    page('/trash', 'trash', IconTrash, async () => {
      const { TrashPage } = await import('../trash/trash-page.tsx')
      return TrashPage
    }),
    page('/activity', 'activity', IconActivity, async () => {
      const { ActivityPage } = await import('../activity/activity-page.tsx')
      return ActivityPage
    }),
  ],
  [
    page('/connect', 'connect', IconPlugConnected, async () => {
      const { ConnectPage } = await import('../connect/connect-page.tsx')
      return ConnectPage
    }),
    page('/keys', 'keys', IconKey, async () => {
      const { KeysPage } = await import('../keys/keys-page.tsx')
      return KeysPage
    }),
    page('/models', 'models', IconSparkles, async () => {
      const { ModelsPage } = await import('../models/models-page.tsx')
      return ModelsPage
    }),
    page('/settings', 'settings', IconSettings, async () => {
      const { SettingsPage } = await import('../settings/settings-page.tsx')
      return SettingsPage
    }),
  ],
]

/** @param load imports the page, which also handles the addresses below its own */
function page(
  href: string,
  name: PageName,
  Icon: Page['Icon'],
  load: () => Promise<ComponentType>,
): Page {
  return { href, pattern: `${href}/*?`, name, Icon, ...lateComponent(load) }
}

/** Loads the page at a path of the browser, or the files, which are shown at first. */
export async function loadPage(path: string): Promise<void> {
  const [files] = pageGroups.flat()
  const page = pageGroups.flat().find(({ href }) => path.startsWith(`/-${href}`)) ?? files
  await page?.load()
}

/** The tabs of a bucket beside its files. In the navigation they belong to Files. */
export const { Content: BucketPage } = lateComponent(async () => {
  const { BucketPage } = await import('../buckets/bucket-page.tsx')
  return BucketPage
})
export const bucketPattern = '/buckets/:bucket/:tab'
