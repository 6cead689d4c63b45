import { useRef } from 'react'
import { carry } from '../carry/clipboard.ts'
import type { PutMode } from '../change/move-plan.ts'
import { entryId, parentOf } from '../entries/entry.ts'
import { isTyping, type Typed, typedIndex, typedMore } from '../entries/type-ahead.ts'
import type { Browser } from './browser.ts'
import { type GridCommand, movedIndex } from './grid-command.ts'
import { focusNextList } from './next-focus.ts'

type CommandParts = Pick<
  Browser,
  'location' | 'entries' | 'picked' | 'act' | 'openPrefix' | 'openMenu'
>

/** Runs the commands of the keyboard. */
export function useCommands(parts: CommandParts): Browser['onCommand'] {
  const { location, entries, picked, act, openPrefix, openMenu } = parts
  const { bucket, prefix } = location
  const typing = useTyping(parts)
  return (command, shape) => {
    const { dispatch, keys, activeIndex, selected } = picked
    const active = entries[activeIndex]
    const subjects = selected.length > 0 ? selected : active === undefined ? [] : [active]
    if (command.type === 'move') {
      const bounds = { ...shape, index: activeIndex, count: keys.length }
      const key = keys[movedIndex(command.to, bounds)]
      if (key === undefined) return
      dispatch(command.extends ? { type: 'range', key, order: keys } : { type: 'activate', key })
      return
    }
    if (typing(command)) return
    const take = (mode: PutMode) =>
      subjects.length > 0 &&
      carry({ mode, bucket: subjects[0]?.bucket ?? bucket, entries: subjects })
    const commands = {
      type: () => undefined,
      open: () => {
        if (active === undefined) return
        if (active.kind === 'folder') focusNextList('')
        act('open', [active])
      },
      up: () => goUp(prefix, openPrefix),
      toggle: () => active !== undefined && dispatch({ type: 'toggle', key: entryId(active) }),
      all: () => dispatch({ type: 'all', order: keys }),
      none: () => dispatch({ type: 'none' }),
      cut: () => void take('move'),
      copy: () => void take('copy'),
      delete: () => act('delete', subjects),
      erase: () => act('erase', subjects),
      rename: () => active !== undefined && act('rename', [active]),
      details: () => active !== undefined && act('details', [active]),
      menu: () =>
        openMenu({
          ...activePlace(),
          ...(subjects.length > 0 ? { type: 'entries', entries: subjects } : { type: 'folder' }),
        }),
    }
    commands[command.type]()
  }
}

/** Goes to the row whose name is being typed. Returns whether the command was a letter of the name. */
function useTyping({ entries, picked }: CommandParts): (command: GridCommand) => boolean {
  const typed = useRef<Typed>({ text: '', atMs: 0 })
  return (command) => {
    const nowMs = performance.now()
    const isWithin = isTyping(typed.current, nowMs)
    const space = command.type === 'toggle' && isWithin ? ' ' : undefined
    const letter = command.type === 'type' ? command.letter : space
    if (letter === undefined) return false
    typed.current = typedMore(typed.current, letter, nowMs)
    const key = picked.keys[typedIndex(entries, picked.activeIndex, typed.current.text)]
    if (key !== undefined) picked.dispatch({ type: 'activate', key })
    return true
  }
}

/** Opens the parent folder and moves the keyboard position to the folder that was left. */
export function goUp(prefix: string, openPrefix: (prefix: string) => void): void {
  if (prefix === '') return
  focusNextList(prefix)
  openPrefix(parentOf(prefix))
}

/** The screen position of the active row. */
function activePlace(): { x: number; y: number } {
  const row = document.querySelector('[data-files-grid] [data-active]')
  const { left, bottom } = row?.getBoundingClientRect() ?? { left: 0, bottom: 0 }
  return { x: left + 40, y: bottom }
}
