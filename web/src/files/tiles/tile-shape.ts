/** Sizes in pixels, as in tiles.module.css. */
export interface TileShape {
  readonly columns: number
  /** The height of a row of tiles. */
  readonly height: number
  /** The padding around all tiles. */
  readonly padding: number
}

const gap = 10

/** As many columns as fit; a phone has at least two. */
export function tileShape(width: number, isNarrow: boolean): TileShape {
  const { least, height, padding } = isNarrow
    ? { least: 130, height: 178, padding: 8 }
    : { least: 168, height: 198, padding: 12 }
  const columns = Math.max(1, Math.floor((width - 2 * padding + gap) / (least + gap)))
  return { columns, height, padding }
}
