import { useWindowEvent } from '@mantine/hooks'
import type { FileEntry } from '../entries/entry.ts'
import type { NeighbourFiles } from './neighbours.ts'
import type { Slideshow } from './use-slideshow.ts'
import type { PictureZoom } from './use-zoom.ts'

interface KeyParts {
  readonly show: Slideshow
  readonly shown: NeighbourFiles
  readonly picture: PictureZoom
  readonly panel: readonly [isOpen: boolean, setOpen: (isOpen: boolean) => void]
  readonly onShow: (file: FileEntry) => void
}

/** What an arrow key moves an enlarged picture by, in pixels. */
const movePx = 80

/** On the window: after a dialog, nothing in the viewer may have the focus. */
export function useViewerKeys(isOnTop: boolean, parts: KeyParts): void {
  useWindowEvent('keydown', (event) => {
    const { key, target, ctrlKey, metaKey, altKey } = event
    if (!isOnTop || ctrlKey || metaKey || altKey) return
    const { show } = parts
    if (key === 'Escape' && show.isFull) show.toggleFull()
    if (!isTakenByContent(target)) commandsOf(parts)[key]?.()
  })
}

function commandsOf(parts: KeyParts): Readonly<Record<string, () => void>> {
  const { picture, panel, shown, onShow } = parts
  const [isPanelOpen, setPanelOpen] = panel
  const step = (to: FileEntry | undefined) => () => to !== undefined && onShow(to)
  const move = (x: number, y: number) => () => picture.move({ x: x * movePx, y: y * movePx })
  const arrows =
    picture.zoom.scale > 1
      ? {
          ...{ ArrowLeft: move(1, 0), ArrowRight: move(-1, 0) },
          ...{ ArrowUp: move(0, 1), ArrowDown: move(0, -1) },
        }
      : { ArrowLeft: step(shown.before), ArrowRight: step(shown.after) }
  return {
    ...arrows,
    ...{ '+': picture.enlarge, '=': picture.enlarge, '-': picture.reduce, '0': picture.reset },
    i: () => setPanelOpen(!isPanelOpen),
  }
}

/** Arrow keys seek in media and scroll text. */
function isTakenByContent(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest('video, audio, input, textarea') !== null
}
