import { lazy } from 'react'

/**
 * Loads the menus and dialogs of a folder: a third of the code of the file browser, which its rows
 * do not need.
 */
const load = {
  open: () => import('./open-overlays.tsx'),
  entryMenu: () => import('../menus/entry-menu.tsx'),
  folderMenu: () => import('../menus/folder-menu.tsx'),
}

export const OpenOverlays = lazy(async () => ({ default: (await load.open()).OpenOverlays }))
export const EntryMenu = lazy(async () => ({ default: (await load.entryMenu()).EntryMenu }))
export const FolderMenu = lazy(async () => ({ default: (await load.folderMenu()).FolderMenu }))

/** Preloads the menus and dialogs, when the page is used. A failure is shown when one is opened. */
export async function loadOverlays(): Promise<void> {
  await Promise.allSettled(Object.values(load).map((each) => each()))
}
