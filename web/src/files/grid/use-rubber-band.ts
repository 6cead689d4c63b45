import { type PointerEvent, type RefObject, useRef } from 'react'
import classes from './entry-frame.module.css'

interface Box {
  readonly left: number
  readonly top: number
  readonly right: number
  readonly bottom: number
}

interface Band {
  readonly element: HTMLElement
  /** In the contents of the list. */
  readonly x: number
  readonly y: number
  /** Where each entry was seen: those out of view are no longer in the page. */
  readonly boxes: Map<string, Box>
}

/** How near the edge a band scrolls, and how far each time. */
const edgePx = 32
const leastPx = 4

/** Selects by drawing a rectangle that begins on empty space. @returns the handlers of the scroller. */
export function useRubberBand(
  scroller: RefObject<HTMLElement | null>,
  onBand: (keys: readonly string[]) => void,
) {
  const band = useRef<Band>(undefined)
  const end = () => {
    band.current?.element.remove()
    band.current = undefined
  }
  return {
    onPointerDown(event: PointerEvent<HTMLElement>) {
      const area = scroller.current
      const isOnEntry = (event.target as Element).closest('[data-entry], button, label') !== null
      if (event.button !== 0 || event.pointerType === 'touch' || isOnEntry || area === null) return
      const element = document.createElement('div')
      element.className = classes.band ?? ''
      band.current = { element, ...pointIn(area, event), boxes: new Map() }
      area.setPointerCapture(event.pointerId)
    },
    onPointerMove(event: PointerEvent<HTMLElement>) {
      const area = scroller.current
      if (band.current === undefined || area === null) return
      const { element, x, y, boxes } = band.current
      const { top, bottom } = area.getBoundingClientRect()
      if (event.clientY > bottom - edgePx) area.scrollTop += edgePx / 2
      if (event.clientY < top + edgePx) area.scrollTop -= edgePx / 2
      const to = pointIn(area, event)
      const drawn = {
        left: Math.min(x, to.x),
        top: Math.min(y, to.y),
        right: Math.max(x, to.x),
        bottom: Math.max(y, to.y),
      }
      if (drawn.right - drawn.left < leastPx && drawn.bottom - drawn.top < leastPx) return
      area.append(element)
      Object.assign(element.style, {
        left: `${drawn.left}px`,
        top: `${drawn.top}px`,
        width: `${drawn.right - drawn.left}px`,
        height: `${drawn.bottom - drawn.top}px`,
      })
      noteBoxes(area, boxes)
      onBand([...boxes].filter(([, box]) => isTouched(drawn, box)).map(([key]) => key))
    },
    onPointerUp: end,
    onPointerCancel: end,
  }
}

function pointIn(area: HTMLElement, { clientX, clientY }: { clientX: number; clientY: number }) {
  const { left, top } = area.getBoundingClientRect()
  return { x: clientX - left, y: clientY - top + area.scrollTop }
}

function noteBoxes(area: HTMLElement, boxes: Map<string, Box>): void {
  const start = area.getBoundingClientRect()
  const [dx, dy] = [-start.left, area.scrollTop - start.top]
  for (const element of area.querySelectorAll<HTMLElement>('[data-entry]')) {
    const { left, top, right, bottom } = element.getBoundingClientRect()
    const box = { left: left + dx, top: top + dy, right: right + dx, bottom: bottom + dy }
    boxes.set(element.dataset.entry ?? '', box)
  }
}

function isTouched(a: Box, b: Box): boolean {
  return a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom
}
