import { useWindowEvent } from '@mantine/hooks'
import { useEffect, useRef, useState } from 'react'
import classes from './tooltips.module.css'

/** Browsers wait about a second, and show no tooltip of a focused element. */
const delayMs = 300
const gapPx = 6
const marginPx = 8

/**
 * One tooltip for all elements with `data-tip`, in the top layer. Such an element has the same text as its name or
 * description, or shows it in another form, so that screen readers need no tooltip. An element with `data-tip-cut` has one
 * only while its text is cut. A press, a key and scrolling hide it;
 * a press shows that of an element with `data-tip-pressed`, because a touch screen has no other way.
 */
export function Tooltips() {
  const [target, setTarget] = useState<HTMLElement>()
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const tip = useRef<HTMLDivElement>(null)
  const hide = () => {
    clearTimeout(timer.current)
    setTarget(undefined)
  }
  const showSoon = (element: HTMLElement | undefined) => {
    hide()
    if (element !== undefined) timer.current = setTimeout(() => setTarget(element), delayMs)
  }
  useWindowEvent('pointerover', ({ target: over, pointerType }) => {
    const element = tippedOf(over)
    if (pointerType !== 'touch' && (element === undefined || element !== target)) showSoon(element)
  })
  useWindowEvent('focusin', ({ target: over }) => {
    const element = tippedOf(over)
    if (element?.matches(':focus-visible')) showSoon(element)
  })
  useWindowEvent('click', ({ target: pressed }) => {
    const element = tippedOf(pressed)
    if (element?.dataset.tipPressed !== undefined) setTarget(element)
  })
  for (const event of ['pointerdown', 'keydown', 'focusout', 'blur'] as const) {
    // biome-ignore lint/correctness/useHookAtTopLevel: always the same events
    useWindowEvent(event, hide)
  }
  useWindowEvent('scroll', hide, true)
  useEffect(() => () => clearTimeout(timer.current), [])
  useEffect(() => {
    if (target !== undefined && tip.current !== null) place(tip.current, target)
  }, [target])
  if (target === undefined) return null
  return (
    <div ref={tip} popover="manual" className={classes.tip} aria-hidden>
      {target.dataset.tip}
    </div>
  )
}

function tippedOf(target: EventTarget | null): HTMLElement | undefined {
  const element = target instanceof Element ? target.closest('[data-tip]') : null
  if (!(element instanceof HTMLElement)) return undefined
  return element.dataset.tipCut === undefined || isCut(element) ? element : undefined
}

function isCut(element: HTMLElement): boolean {
  const parts = [element, ...element.querySelectorAll('*')]
  return parts.some((part) => {
    const isClipped = getComputedStyle(part).overflowX !== 'visible'
    return isClipped && part.scrollWidth > part.clientWidth
  })
}

/** Below the element, or above it if there is no room. */
function place(tip: HTMLElement, target: HTMLElement): void {
  if (!target.isConnected) return
  tip.showPopover()
  const { left, width, top, bottom } = target.getBoundingClientRect()
  const { offsetWidth, offsetHeight } = tip
  const center = left + width / 2 - offsetWidth / 2
  const isBelow = bottom + gapPx + offsetHeight <= innerHeight
  tip.style.left = `${Math.max(marginPx, Math.min(center, innerWidth - offsetWidth - marginPx))}px`
  tip.style.top = `${isBelow ? bottom + gapPx : top - gapPx - offsetHeight}px`
}
