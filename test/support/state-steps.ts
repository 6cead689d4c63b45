import type { Locator, Page } from 'playwright-core'
import type { FileBrowser } from './file-browser.ts'

/** A state of the dashboard that a person can reach. */
export interface DashboardState {
  readonly name: string
  /** Below `/-`. */
  readonly path: string
  /** Resolves when the state is shown; by default, when `shown` is. */
  readonly reach?: (files: FileBrowser) => Promise<unknown>
  readonly shown?: string
}

export const button = (page: Page, name: string, place: Page | Locator = page) =>
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
