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
import { type ComponentType, lazy } from 'react'

/** A page of the dashboard, in a chunk of its own so that the first page does not wait for the others. */
export interface Page {
  readonly href: string
  /** Matches the addresses that the page shows. */
  readonly pattern: string
  readonly label: string
  readonly Icon: ComponentType<{ readonly size: number; readonly stroke: number }>
  readonly Content: ComponentType
}

/** The pages for daily use, and those for setup. */
export const pageGroups: readonly (readonly Page[])[] = [
  [
    page('/files', 'Files', IconFolder, async () => {
      const { FilesPage } = await import('../files/files-page.tsx')
      return { default: FilesPage }
    }),
    page('/overview', 'Overview', IconLayoutDashboard, async () => {
      const { OverviewPage } = await import('../overview/overview-page.tsx')
      return { default: OverviewPage }
    }),
    page('/shares', 'Links', IconLink, async () => {
      const { SharesPage } = await import('../shares/shares-page.tsx')
      return { default: SharesPage }
    }),
    page('/trash', 'Trash', IconTrash, async () => {
      const { TrashPage } = await import('../trash/trash-page.tsx')
      return { default: TrashPage }
    }),
    page('/activity', 'Activity', IconActivity, async () => {
      const { ActivityPage } = await import('../activity/activity-page.tsx')
      return { default: ActivityPage }
    }),
  ],
  [
    page('/connect', 'Connect', IconPlugConnected, async () => {
      const { ConnectPage } = await import('../connect/connect-page.tsx')
      return { default: ConnectPage }
    }),
    page('/keys', 'Keys', IconKey, async () => {
      const { KeysPage } = await import('../keys/keys-page.tsx')
      return { default: KeysPage }
    }),
    page('/models', 'Models', IconSparkles, async () => {
      const { ModelsPage } = await import('../models/models-page.tsx')
      return { default: ModelsPage }
    }),
    page('/settings', 'Settings', IconSettings, async () => {
      const { SettingsPage } = await import('../settings/settings-page.tsx')
      return { default: SettingsPage }
    }),
  ],
]

/** @param load imports the page, which also handles the addresses below its own */
function page(
  href: string,
  label: string,
  Icon: Page['Icon'],
  load: () => Promise<{ readonly default: ComponentType }>,
): Page {
  return { href, pattern: `${href}/*?`, label, Icon, Content: lazy(load) }
}

/** The tabs of a bucket beside its files. In the navigation they belong to Files. */
export const BucketPage = lazy(async () => {
  const { BucketPage } = await import('../buckets/bucket-page.tsx')
  return { default: BucketPage }
})
export const bucketPattern = '/buckets/:bucket/:tab'
