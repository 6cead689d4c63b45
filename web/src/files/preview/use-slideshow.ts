import { type TouchEvent, useEffect, useRef, useState } from 'react'

/** How long a picture is shown. */
const stayMs = 5_000

/** The minimum length of a swipe, in pixels. */
const swipePx = 50

export interface Slideshow {
  /** The picture fills the screen. */
  readonly isFull: boolean
  readonly isPlaying: boolean
  readonly toggleFull: () => void
  readonly togglePlaying: () => void
}

/**
 * @param id of the picture
 * @param next shows the next picture; undefined after the last one, where the slideshow ends.
 * @param isPreparing whether the picture is not there yet: its time has not begun
 */
export function useSlideshow(
  id: string,
  next: (() => void) | undefined,
  isPreparing: boolean,
): Slideshow {
  const [isFull, setIsFull] = useState(false)
  const [isPlaying, setIsPlaying] = useState(false)
  const latest = useRef(next)
  useEffect(() => {
    latest.current = next
  })
  // biome-ignore lint/correctness/useExhaustiveDependencies: each picture has its own time
  useEffect(() => {
    if (!isPlaying || isPreparing) return
    const timer = setTimeout(() => {
      if (latest.current === undefined) setIsPlaying(false)
      else latest.current()
    }, stayMs)
    return () => clearTimeout(timer)
  }, [isPlaying, isPreparing, id])
  return {
    isFull,
    isPlaying,
    toggleFull() {
      setIsPlaying(false)
      setIsFull(!isFull)
    },
    togglePlaying() {
      setIsFull(true)
      setIsPlaying(!isPlaying)
    },
  }
}

/** Calls back when one finger swipes over a picture, or over what is shown until there is one. */
export function useSwipe(toLeft: () => void, toRight: () => void) {
  const start = useRef<readonly [x: number, y: number]>(undefined)
  return {
    onTouchStart({ touches }: TouchEvent) {
      const touch = touches[0]
      // On a zoomed page, the finger scrolls the page.
      const isZoomed = (globalThis.visualViewport?.scale ?? 1) > 1.01
      const isSwipe = touch !== undefined && touches.length === 1 && !isZoomed
      start.current = isSwipe ? [touch.clientX, touch.clientY] : undefined
    },
    onTouchEnd({ changedTouches }: TouchEvent) {
      const touch = changedTouches[0]
      if (start.current === undefined || touch === undefined) return
      const [x, y] = [touch.clientX - start.current[0], touch.clientY - start.current[1]]
      start.current = undefined
      if (Math.abs(x) < swipePx || Math.abs(x) < 2 * Math.abs(y)) return
      if (x < 0) toLeft()
      else toRight()
    },
  }
}
