import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Locator, Page } from 'playwright-core'
import type { Dashboard } from './dashboard.ts'
import { tipped } from './tipped.ts'

/**
 * Opens the file browser at a path below `/-`, in one tab after the other of one browser that is
 * signed in once: quicker than a browser for each test.
 */
export function useFileBrowser(dashboard: () => Dashboard): (path: string) => Promise<FileBrowser> {
  let tab: Page | undefined
  return async (path) => {
    if (tab === undefined) {
      tab = await dashboard().openSignedIn(path)
      dashboard().keepOpen(tab)
      return new FileBrowser(tab)
    }
    const next = await tab.context().newPage()
    await tab.close()
    tab = next
    await tab.goto(`${dashboard().gateway.url}/-${path}`)
    return new FileBrowser(tab)
  }
}

/** The file browser of the dashboard as people use it. */
export class FileBrowser {
  readonly page: Page

  constructor(page: Page) {
    this.page = page
  }

  get grid(): Locator {
    return this.page.getByRole('grid')
  }

  get dialog(): Locator {
    return this.page.getByRole('dialog')
  }

  get transfers(): Locator {
    return this.page.getByRole('region', { name: 'Transfers' })
  }

  /** The row of a file or folder, by its name. */
  row(name: string): Locator {
    return this.page.getByRole('row').filter({ has: this.page.locator(tipped(name)) })
  }

  /** The name in a row: a press opens it. */
  name(name: string): Locator {
    return this.page.locator('[role="row"]').locator(tipped(name))
  }

  async select(...names: readonly string[]): Promise<void> {
    for (const name of names) await this.row(name).getByRole('checkbox').click()
  }

  /** Opens the menu of a row and presses one of its items. */
  async act(name: string, action: string): Promise<void> {
    await this.row(name).getByRole('button', { name: 'Actions for' }).click()
    // These are also the beginning of “Delete permanently…” and “Edit metadata…”.
    const exact = action === 'Delete' || action === 'Edit'
    await this.page.getByRole('menuitem', { name: action, exact }).click()
  }

  /** The one field that filters the folder and searches. */
  get search(): Locator {
    return this.page.getByRole('textbox', { name: 'Search' })
  }

  /** Presses an item of a menu above the list: what can be added, done with the folder, or with what is selected. */
  async choose(menu: 'New' | 'Folder actions' | 'More actions', item: string): Promise<void> {
    await this.page.getByRole('button', { name: menu, exact: true }).click()
    await this.page.getByRole('menuitem', { name: item }).click()
  }

  /** Resolves when an item of the open menu has the focus: what is pressed until then goes elsewhere. */
  menuHasFocus(): Promise<void> {
    return this.page.locator('[role=menuitem]:focus').waitFor()
  }

  /** A press of a button in the dialog that is open. */
  async press(button: string): Promise<void> {
    await this.dialog.getByRole('button', { name: button, exact: true }).click()
  }

  /** Drops files and folders of the disk on the list, as a desktop does. */
  async drop(...paths: readonly string[]): Promise<void> {
    const devtools = await this.page.context().newCDPSession(this.page)
    const data = { items: [], files: [...paths], dragOperationsMask: 1 }
    for (const type of ['dragEnter', 'dragOver', 'drop'] as const) {
      await devtools.send('Input.dispatchDragEvent', { type, x: 300, y: 300, data })
    }
    await devtools.detach()
  }

  /** The names that are in the page, in their order. */
  names(): Promise<readonly string[]> {
    return this.page
      .locator('[role="row"][aria-rowindex] [data-tip]:is(a, button):not([aria-haspopup])')
      .evaluateAll((elements) => elements.map((element) => element.getAttribute('data-tip') ?? ''))
  }
}

/** Writes files into a folder: their paths and contents. */
export function writeTree(
  folder: string,
  files: Readonly<Record<string, string | Uint8Array>>,
): void {
  for (const [path, content] of Object.entries(files)) {
    const target = join(folder, path)
    mkdirSync(dirname(target), { recursive: true })
    writeFileSync(target, content)
  }
}

/** A property of an element, such as the width of a picture. */
export function propertyOf(element: Locator, name: string): Promise<unknown> {
  return element.evaluate((found, key) => (found as unknown as Record<string, unknown>)[key], name)
}
