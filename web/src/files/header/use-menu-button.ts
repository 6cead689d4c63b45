import { type MouseEvent, useRef } from 'react'
import type { Browser, FolderMenuType } from '../browse/browser.ts'

/** The props of a button that opens a menu of the folder below it, and closes it again. */
export function useMenuButton({ menu, openMenu }: Browser, type: FolderMenuType) {
  const isOpen = menu?.type === type
  // A press on the button closes an open menu, because it is a press outside the menu.
  const wasOpen = useRef(false)
  return {
    'aria-haspopup': 'menu' as const,
    'aria-expanded': isOpen,
    onPointerDown: () => {
      wasOpen.current = isOpen
    },
    onClick: ({ currentTarget }: MouseEvent<HTMLElement>) => {
      const { left, bottom, width } = currentTarget.getBoundingClientRect()
      if (!wasOpen.current) openMenu({ type, x: left, y: bottom, width, opener: currentTarget })
      wasOpen.current = false
    },
  }
}
