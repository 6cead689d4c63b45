import type { DragEvent, MouseEvent } from 'react'
import type { dropTarget } from '../carry/drag.ts'
import type { Entry } from '../entries/entry.ts'

/** A point of the screen, or the lower edge of a button. */
interface MenuPlace {
  readonly x: number
  readonly y: number
  readonly width?: number
}

/** The actions on one entry by mouse or touch. */
export interface RowActions {
  readonly onPress: (entry: Entry, event: MouseEvent) => void
  readonly onCheck: (entry: Entry, withShift: boolean) => void
  /** Moves the keyboard position. */
  readonly onActivate: (entry: Entry) => void
  readonly onOpen: (entry: Entry) => void
  readonly onMenu: (entry: Entry, at: MenuPlace) => void
  readonly onDrag: (entry: Entry, event: DragEvent) => void
  /** The handlers of a folder onto which rows can be dropped. */
  readonly dropsOn: (entry: Entry) => ReturnType<typeof dropTarget>
  /** The address of a folder. */
  readonly hrefOf: (entry: Entry) => string
}
