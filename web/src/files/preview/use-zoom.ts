import { type MouseEvent, type PointerEvent, useCallback, useRef, useState } from 'react'
import { fitting, moved, type Point, type Zoom, type ZoomFrame, zoomed } from './zoom.ts'

/** The factor of a button or key. */
const step = 1.5

interface Picture {
  readonly width: number
  readonly height: number
}

interface Shown {
  readonly id: string
  readonly zoom: Zoom
  /** Undefined until it has loaded. */
  readonly size?: Picture
  /** Its width in the page, in which it fits. */
  readonly fittedWidth?: number
}

/** The picture in the stage, and how it is enlarged. */
export interface PictureZoom {
  readonly zoom: Zoom
  /** In pixels of the file; undefined until it has loaded, and for drawings without a size. */
  readonly size: Picture | undefined
  /** How large the picture is shown; 1: each pixel as one. */
  readonly magnification: number | undefined
  /** @param whole the size of what the picture was made of */
  readonly onLoad: (picture: HTMLImageElement, whole?: Picture) => void
  readonly enlarge: () => void
  readonly reduce: () => void
  readonly reset: () => void
  readonly move: (by: Point) => void
  /** For the element around the picture. */
  readonly handlers: ReturnType<typeof useHandlers>
}

type Change = (change: (zoom: Zoom, frame: ZoomFrame) => Zoom) => void

/** @param id of what is shown: another picture begins as it fits. */
export function useZoom(id: string): PictureZoom {
  const [last, setShown] = useState<Shown>({ id, zoom: fitting })
  const shown = last.id === id ? last : { id, zoom: fitting }
  const picture = useRef<HTMLImageElement>(undefined)
  const change = useCallback<Change>((next) => {
    const frame = frameOf(picture.current)
    if (frame === undefined) return
    setShown((before) => ({
      ...before,
      zoom: next(before.zoom, frame),
      fittedWidth: frame.width,
    }))
  }, [])
  const by = (factor: number) =>
    change((zoom, frame) => zoomed(zoom, factor, { x: 0, y: 0 }, frame))
  const { zoom, size, fittedWidth } = shown
  return {
    ...{ zoom, size },
    magnification:
      size !== undefined && size.width > 0 && fittedWidth !== undefined
        ? (fittedWidth * zoom.scale) / size.width
        : undefined,
    onLoad(element, whole) {
      picture.current = element
      const { naturalWidth, naturalHeight } = element
      const { width, height } = whole ?? { width: naturalWidth, height: naturalHeight }
      const found = width > 0 ? { size: { width, height } } : {}
      setShown({ id, zoom: fitting, fittedWidth: element.offsetWidth, ...found })
    },
    enlarge: () => by(step),
    reduce: () => by(1 / step),
    reset: () => change(() => fitting),
    move: (point) => change((before, frame) => moved(before, point, frame)),
    handlers: useHandlers(change, zoom.scale > 1),
  }
}

function frameOf(picture: HTMLImageElement | undefined): ZoomFrame | undefined {
  const stage = picture?.parentElement
  // A picture that is no longer in the page has no size.
  if (picture === undefined || !stage || picture.offsetWidth === 0) return undefined
  return {
    ...{ width: picture.offsetWidth, height: picture.offsetHeight },
    ...{ stageWidth: stage.clientWidth, stageHeight: stage.clientHeight },
    naturalWidth: picture.naturalWidth,
  }
}

/** Pinch, drag, wheel and double click. */
function useHandlers(change: Change, isEnlarged: boolean) {
  const stage = useWheel(change, isEnlarged)
  const pointers = useRef(new Map<number, Point>())
  const leave = ({ pointerId }: PointerEvent) => void pointers.current.delete(pointerId)
  return {
    ref: stage,
    onPointerDown(event: PointerEvent<HTMLElement>) {
      const isFinger = event.pointerType === 'touch'
      if (event.button !== 0 || !(isFinger || isEnlarged)) return
      // The pointer may leave the picture while it moves it.
      event.currentTarget.setPointerCapture(event.pointerId)
      pointers.current.set(event.pointerId, pointOf(event))
    },
    onPointerMove(event: PointerEvent<HTMLElement>) {
      const { pointerId, currentTarget } = event
      const before = pointers.current.get(pointerId)
      if (before === undefined) return
      const now = pointOf(event)
      const by = { x: now.x - before.x, y: now.y - before.y }
      pointers.current.set(pointerId, now)
      const [other] = [...pointers.current].flatMap(([id, at]) => (id === pointerId ? [] : [at]))
      if (other === undefined) return change((zoom, frame) => moved(zoom, by, frame))
      const factor = distance(now, other) / Math.max(1, distance(before, other))
      const middle = { x: (now.x + other.x) / 2, y: (now.y + other.y) / 2 }
      const at = fromMiddle(middle, currentTarget)
      change((zoom, frame) =>
        moved(zoomed(zoom, factor, at, frame), { x: by.x / 2, y: by.y / 2 }, frame),
      )
    },
    onPointerUp: leave,
    onPointerCancel: leave,
    onDoubleClick(event: MouseEvent<HTMLElement>) {
      const at = fromMiddle(pointOf(event), event.currentTarget)
      change((zoom, frame) => {
        // The pixels of the file, if the picture fits smaller.
        const whole = Math.max(2, frame.naturalWidth / frame.width)
        return zoom.scale > 1 ? fitting : zoomed(zoom, whole, at, frame)
      })
    },
  }
}

/** React listens to the wheel without the right to keep the page from zooming. */
function useWheel(change: Change, isEnlarged: boolean) {
  return useCallback(
    (element: HTMLElement | null) => {
      const onWheel = (event: WheelEvent) => {
        if (element === null || !(event.ctrlKey || isEnlarged)) return
        event.preventDefault()
        const at = fromMiddle(pointOf(event), element)
        const by = { x: -event.deltaX, y: -event.deltaY }
        // A touch pad sends many small steps, a wheel few of about 100.
        const factor = Math.exp(Math.min(50, Math.max(-50, by.y)) / 100)
        change((zoom, frame) =>
          event.ctrlKey ? zoomed(zoom, factor, at, frame) : moved(zoom, by, frame),
        )
      }
      element?.addEventListener('wheel', onWheel, { passive: false })
      return () => element?.removeEventListener('wheel', onWheel)
    },
    [change, isEnlarged],
  )
}

function pointOf(event: { readonly clientX: number; readonly clientY: number }): Point {
  return { x: event.clientX, y: event.clientY }
}

function distance(a: Point, b: Point): number {
  return Math.hypot(a.x - b.x, a.y - b.y)
}

function fromMiddle({ x, y }: Point, element: Element): Point {
  const { left, top, width, height } = element.getBoundingClientRect()
  return { x: x - left - width / 2, y: y - top - height / 2 }
}
