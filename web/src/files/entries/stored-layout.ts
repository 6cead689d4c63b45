/** How the entries of a folder are shown. */
export type Layout = 'list' | 'grid'

export const layoutKey = 'bucketry.layout'

/** Parses a layout stored with `JSON.stringify`; falls back to the list. */
export function parseLayout(text: string | null | undefined): Layout {
  return text === JSON.stringify('grid') ? 'grid' : 'list'
}
