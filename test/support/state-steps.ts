import type { Locator, Page } from 'playwright-core'
import type { FileBrowser } from './file-browser.ts'

/** A state of the dashboard that a person can reach. */
export interface DashboardState {
  readonly name: string
  /** Below `/-`. */
  readonly path: string
  /** What a person does on the page to see the state. */
  readonly reach?: (files: FileBrowser) => Promise<unknown>
  /** A text or an element that is there only when the state is reached. */
  readonly shown: string | RegExp | ((files: FileBrowser) => Locator)
}

export const openDialog =
  (name: string) =>
  ({ page }: FileBrowser) =>
    page.getByRole('dialog', { name })

export const openMenu = ({ page }: FileBrowser) => page.getByRole('menuitem')

export const button = (place: Page | Locator, name: string) =>
  place.getByRole('button', { name, exact: true })

export const press = (name: string) => (files: FileBrowser) => button(files.page, name).click()

/** Presses buttons, then items of a menu, one after the other. */
export function steps(...names: readonly string[]) {
  return async ({ page }: FileBrowser) => {
    for (const name of names) {
      const item = page.getByRole('menuitem', { name })
      await button(page, name).or(item).last().click()
    }
  }
}
