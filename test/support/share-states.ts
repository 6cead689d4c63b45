import { testBucket } from './gateway-process.ts'
import { button, type DashboardState, openDialog, press } from './state-steps.ts'

const folder = `/files/${testBucket}?prefix=states/`

/** The dialogs and the page of links. */
export const shareStates: readonly DashboardState[] = [
  {
    name: 'share',
    path: folder,
    async reach(files) {
      await files.act('text.txt', 'Share link')
      await files.page.getByLabel('Ends').selectOption('date')
      await files.page.getByLabel('Last day').fill('')
      await files.page.getByLabel('Password', { exact: true }).fill('short')
      await files.press('Create link')
    },
    shown: 'Choose today or a later day',
  },
  {
    name: 'made link',
    path: folder,
    async reach(files) {
      await files.act('text.txt', 'Share link')
      await files.press('Create link')
    },
    shown: 'shows how often',
  },
  {
    name: 'link for uploads',
    path: folder,
    async reach(files) {
      await files.act('empty', 'Share link')
      await files.dialog.getByRole('tab', { name: 'Receive files' }).click()
      await files.page.getByLabel('Types').fill('a/b')
      await files.press('Create link')
    },
    shown: 'Enter file name extensions',
  },
  { name: 'links', path: '/shares', shown: 'Active links' },
  {
    name: 'edit a link',
    path: '/shares',
    reach: press('Edit the link to picture.png'),
    shown: ({ page }) => button(page, 'Save'),
  },
  {
    name: 'QR code',
    path: '/shares',
    reach: press('Show the QR code of the link to picture.png'),
    shown: ({ page }) => page.getByRole('img', { name: 'QR code' }),
  },
  {
    name: 'revoke a link',
    path: '/shares',
    reach: press('Revoke the link to picture.png'),
    shown: openDialog('Revoke the link to picture.png?'),
  },
  {
    name: 'signed link',
    path: folder,
    async reach(files) {
      await files.act('text.txt', 'Share link')
      await files.dialog.getByRole('tab', { name: 'For scripts' }).click()
      await files.dialog.getByText('Other', { exact: true }).click()
      await files.page.getByLabel('Duration').fill('9')
    },
    shown: 'Enter a duration',
  },
]
