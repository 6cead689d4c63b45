import { testBucket } from './gateway-process.ts'
import { button, type DashboardState, steps } from './state-steps.ts'

const folder = `/files/${testBucket}?prefix=states/`

/** The dialogs and the page of links. */
export const shareStates: readonly DashboardState[] = [
  {
    name: 'share',
    path: folder,
    async reach(files) {
      await files.act('text.txt', 'Share link')
      await files.page.getByLabel('Ends').selectOption('date')
      await files.page.getByLabel('Password', { exact: true }).fill('short')
      await files.press('Create link')
      await files.page.getByText('Choose today or a later day').waitFor()
    },
  },
  {
    name: 'made link',
    path: folder,
    async reach(files) {
      await files.act('text.txt', 'Share link')
      await files.press('Create link')
      await files.page.getByText('shows how often').waitFor()
    },
  },
  {
    name: 'link for uploads',
    path: folder,
    async reach(files) {
      await files.act('empty', 'Share link')
      await files.dialog.getByRole('tab', { name: 'Receive files' }).click()
      await files.page.getByLabel('Types').fill('a/b')
      await files.press('Create link')
      await files.page.getByText('Enter file name extensions').waitFor()
    },
  },
  { name: 'links', path: '/shares', shown: 'Active links' },
  {
    name: 'edit a link',
    path: '/shares',
    async reach(files) {
      await button(files.page, 'Edit the link to picture.png').click()
      await files.page.getByRole('button', { name: 'Save' }).waitFor()
    },
  },
  {
    name: 'QR code',
    path: '/shares',
    async reach(files) {
      await button(files.page, 'Show the QR code of the link to picture.png').click()
      await files.page.getByRole('img', { name: 'QR code' }).waitFor()
    },
  },
  { name: 'revoke a link', path: '/shares', reach: steps('Revoke the link to picture.png') },
  {
    name: 'signed link',
    path: folder,
    async reach(files) {
      await files.act('text.txt', 'Share link')
      await files.dialog.getByRole('tab', { name: 'For scripts' }).click()
      await files.dialog.getByText('Other', { exact: true }).click()
      await files.page.getByLabel('Duration').fill('9')
      await files.page.getByText('Enter a duration').waitFor()
    },
  },
]
