import type { FileKind } from '../../platform/text/file-kind.ts'
import { type Html, html } from './share-pages.ts'

const folder = 'M3 7a2 2 0 0 1 2-2h4l2.5 2.5H19a2 2 0 0 1 2 2V17a2 2 0 0 1-2 2H5a2 2 0 0 1-2-2z'
const sheet = 'M7 3h7l5 5v11a2 2 0 0 1-2 2H7a2 2 0 0 1-2-2V5a2 2 0 0 1 2-2zm7 0v5h5'

/** What is drawn on the sheet of paper of a file. */
const marks: Readonly<Record<FileKind, string>> = {
  image: 'M7.5 18l3-4 2 2.5 1.5-2 2.5 3.5M9 11h.01',
  video: 'M10 12v6l5-3z',
  audio:
    'M10.5 16.5V12l4-1v4.5m-4 1a1.25 1.25 0 1 1-2.5 0 1.25 1.25 0 0 1 2.5 0m4-1a1.25 1.25 0 1 1-2.5 0 1.25 1.25 0 0 1 2.5 0',
  pdf: 'M9.5 18v-6h2.25a1.75 1.75 0 0 1 0 3.5H9.5',
  text: 'M8.5 12h7m-7 3h7m-7 3h4',
  document: 'M8.5 12l1.75 6L12 13l1.75 5 1.75-6',
  sheet: 'M8 12h8v6H8zm0 3h8m-4-3v6',
  slides: 'M8 12h8v4.5H8zm4 4.5V18m-1.5 0h3',
  archive: 'M10 3.5v1m1.5 1v1m-1.5 1v1m1.5 1v1M10 12h1.5v3H10z',
  code: 'M10 12l-2.5 3 2.5 3m4-6 2.5 3-2.5 3',
}

/** The icon of a file or folder, in a colour of its own (web/src/files/entries/kind-colors.css). */
export function kindIcon(kind: FileKind | 'folder' | undefined): Html {
  const path = kind === 'folder' ? folder : kindPath(kind)
  return html`<svg class="icon" data-file-kind="${kind ?? ''}" viewBox="0 0 24 24" aria-hidden="true"><path d="${path}"/></svg>`
}

/** The outline of a sheet of paper with the mark of this kind, 24 units wide and high. */
export function kindPath(kind: FileKind | undefined): string {
  return sheet + (kind === undefined ? '' : marks[kind])
}
