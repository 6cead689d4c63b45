import { useLayoutEffect, useRef, useState } from 'react'
import type { Browser } from './browser.ts'
import { leavePlace, markEntry, returnToPlace } from './next-focus.ts'

/** Restores the scroll position and the active row after Back. */
export function usePlace({ picked }: Browser): void {
  useState(returnToPlace)
  const { active = '' } = picked.selection
  const latest = useRef({ entry: '', active })
  useLayoutEffect(() => {
    latest.current = { entry: markEntry(), active }
  })
  useLayoutEffect(
    () => () => {
      // The list is still in the page.
      const top = document.querySelector('[data-files-grid] [role="presentation"]')?.scrollTop
      const { entry, active } = latest.current
      if (top !== undefined && (active !== '' || top > 0)) {
        leavePlace(entry, { key: active, isSelected: false, top })
      }
    },
    [],
  )
}
