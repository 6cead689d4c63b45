import { type RefObject, useLayoutEffect, useState } from 'react'

/** The current width of an element in pixels; 0 before it is in the page. */
export function useWidth(element: RefObject<HTMLElement | null>): number {
  const [width, setWidth] = useState(0)
  useLayoutEffect(() => {
    const found = element.current
    if (found === null) return
    setWidth(found.clientWidth)
    const observer = new ResizeObserver(() => setWidth(found.clientWidth))
    observer.observe(found)
    return () => observer.disconnect()
  }, [element])
  return width
}
