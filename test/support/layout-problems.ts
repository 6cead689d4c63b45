import type { Page } from 'playwright-core'

/** Runs in the page, which has no types here. */
const script = `
  const sides = [[-1, 0], [1, 0], [0, -1], [0, 1]]

  function isShown(element) {
    const { width, height } = element.getBoundingClientRect()
    return width > 1 && height > 1 && element.checkVisibility({ visibilityProperty: true })
  }

  function describe(element) {
    const name = element.getAttribute('aria-label') ?? element.textContent
    return element.tagName.toLowerCase() + ' “' + name.slice(0, 60) + '”'
  }

  /** What a finger presses for a control: the label of a checkbox counts as one. */
  function targetOf(control) {
    const isChoice = control.matches('[type="checkbox"], [type="radio"]')
    return (isChoice && control.labels[0]) || control
  }

  function isOwn(hit, control, target) {
    // A notice leaves by itself, and a person has opened the transfers.
    if (hit?.closest('[role="alert"], [aria-label="Transfers"]')) return true
    return hit !== null && (target.contains(hit) || hit.closest('label')?.control === control)
  }

  /** Whether a finger of this size beside its middle still hits the control, and no other. */
  function isHit(control, size) {
    const target = targetOf(control)
    target.scrollIntoView({ block: 'center', inline: 'center', behavior: 'instant' })
    const { left, top, width, height } = target.getBoundingClientRect()
    const [x, y] = [left + width / 2, top + height / 2]
    const reach = size / 2 - 1
    return sides.every(([dx, dy]) =>
      isOwn(document.elementFromPoint(x + dx * reach, y + dy * reach), control, target),
    )
  }

  function isSmall(control, size) {
    const target = targetOf(control)
    if (!isShown(target) || control.matches(':disabled, [href="#main"]')) return false
    // WCAG 2.2, "Target Size (Enhanced)", excepts links in a sentence.
    return getComputedStyle(target).display !== 'inline' && !isHit(control, size)
  }

  function isCutOff(element) {
    const hasText = [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim())
    if (!hasText || !isShown(element) || element.closest('pre, input, select') !== null) return false
    const { overflowX, clipPath } = getComputedStyle(element)
    if (overflowX !== 'hidden' || clipPath !== 'none') return false
    return element.scrollWidth > element.clientWidth + 1 && element.closest('[title], [data-tip]') === null
  }

  function layoutProblems(size) {
    const { scrollWidth } = document.documentElement
    const wide = scrollWidth > screen.width ? ['the page is ' + scrollWidth + ' px wide'] : []
    const fronts = [...document.querySelectorAll('[role="menu"], [role="dialog"], dialog[open]')].filter(isShown)
    const front = fronts.at(-1) ?? document.body
    const controls = 'a[href], button, input, select, textarea, [role="tab"], [role="menuitem"]'
    const small = [...front.querySelectorAll(controls)].filter((one) => isSmall(one, size))
    const cut = [...front.querySelectorAll('*')].filter(isCutOff)
    const sizeOf = ({ width, height }) => Math.round(width) + ' × ' + Math.round(height) + ' px'
    return [
      ...wide,
      ...small.map((one) => describe(one) + ' is small or covered: ' + sizeOf(targetOf(one).getBoundingClientRect())),
      ...cut.map((one) => describe(one) + ' is cut off'),
    ]
  }
`

/**
 * What a finger or an eye cannot reach in the front of a page: what is wider than the window,
 * controls that are hit by less than `least` pixels in either direction, and text that is cut off
 * without a tooltip.
 */
export function layoutProblems(page: Page, least: number): Promise<readonly string[]> {
  return page.evaluate(`(() => {${script} return layoutProblems(${least}) })()`)
}
