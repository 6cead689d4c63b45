import { useWindowEvent } from '@mantine/hooks'

type KeyAction = 'rename' | 'delete'

const actions: Readonly<Record<string, KeyAction>> = { F2: 'rename', Delete: 'delete' }

/**
 * Keys that act on the viewed file, whether the list has it yet or not. On the window: after a dialog, nothing in the viewer
 * may have the focus.
 *
 * @param act undefined: nothing is to be done with the file
 */
export function useFileKeys(
  isOnTop: boolean,
  act: ((action: KeyAction) => void) | undefined,
): void {
  useWindowEvent('keydown', (event) => {
    const { key, target, ctrlKey, metaKey, altKey } = event
    const isInField = target instanceof Element && target.closest('input, textarea') !== null
    if (!isOnTop || ctrlKey || metaKey || altKey || isInField) return
    const action = Object.hasOwn(actions, key) ? actions[key] : undefined
    if (action === undefined || act === undefined) return
    event.preventDefault()
    act(action)
  })
}
