import { publicBucket } from './contract-gateway.ts'
import type { FileBrowser } from './file-browser.ts'
import { button, type DashboardState, openDialog, steps } from './state-steps.ts'

/** A bucket that keeps versions. */
export const versionedBucket = publicBucket
const kept = `/files/${versionedBucket}?prefix=kept/`

/** Opens the details in the preview, which are open at first only where they fit beside the file. */
async function showDetails({ page }: FileBrowser): Promise<void> {
  const details = button(page, 'Details')
  await details.waitFor()
  if ((await details.getAttribute('aria-pressed')) === 'false') await details.click()
}

/** Versions of files, and what was deleted. */
export const versionStates: readonly DashboardState[] = [
  {
    name: 'versions',
    path: `${kept}&view=notes.md`,
    reach: showDetails,
    shown: ({ dialog }) => dialog.getByText('Deleted'),
  },
  {
    name: 'former version',
    path: `${kept}&view=notes.md`,
    reach: async (files) => {
      await showDetails(files)
      await files.dialog.getByRole('button', { name: 'Show the version' }).last().click()
    },
    shown: 'This is the version of',
  },
  {
    name: 'permanent deletion of a version',
    path: `${kept}&view=notes.md`,
    reach: async (files) => {
      await showDetails(files)
      await files.dialog.getByRole('button', { name: 'Delete the version' }).last().click()
    },
    shown: openDialog('Delete this version permanently?'),
  },
  {
    name: 'deleted files',
    path: kept,
    reach: steps('Folder actions', 'Show deleted'),
    shown: ({ dialog }) => button(dialog, 'old/'),
  },
  {
    name: 'deleted files of a folder',
    path: kept,
    async reach(files) {
      await files.choose('Folder actions', 'Show deleted')
      await files.press('old/')
      await files.press('Delete b.txt permanently')
    },
    shown: openDialog('Delete permanently?'),
  },
  {
    name: 'delete in a bucket with versions',
    path: kept,
    reach: (files) => files.act('notes.md', 'Delete permanently'),
    shown: openDialog('Delete “notes.md”?'),
  },
  {
    name: 'trash of a bucket with versions',
    path: '/trash',
    reach: ({ page }) =>
      page.getByRole('combobox', { name: 'Bucket' }).selectOption(versionedBucket),
    shown: ({ page }) => button(page, 'Restore kept/'),
  },
  {
    name: 'settings of versions',
    path: `/buckets/${versionedBucket}/settings`,
    shown: 'Delete former versions after',
  },
]
