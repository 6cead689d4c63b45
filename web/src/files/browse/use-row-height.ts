import { useMediaQuery } from '@mantine/hooks'

/** Pixels. On narrow screens a row has two lines: entry-grid.module.css. */
const wideHeight = 38
const narrowHeight = 56

export function useRowHeight(): number {
  return useMediaQuery('(max-width: 640px)') ? narrowHeight : wideHeight
}
