import { useWindowEvent } from '@mantine/hooks'
import { useEffect, useRef, useState } from 'react'

interface EditorMark {
  readonly isEditor?: boolean
}

function isInEditor(): boolean {
  return (history.state as EditorMark | null)?.isEditor === true
}

/** An entry of the history for the editor: Back closes it, and can be refused. */
function enter(): void {
  if (!isInEditor()) history.pushState({ ...(history.state as object | null), isEditor: true }, '')
}

/** Asks before changes are lost: on Close, on Back, and when the page is left. */
export function useLeaveGuard(isChanged: boolean, onClose: () => void) {
  const [isAsking, setIsAsking] = useState(false)
  const latest = useRef({ isChanged, onClose })
  const isDiscarded = useRef(false)
  useEffect(() => {
    latest.current = { isChanged, onClose }
  })
  useEffect(enter, [])
  useWindowEvent('popstate', () => {
    if (isInEditor()) return
    if (isDiscarded.current || !latest.current.isChanged) return latest.current.onClose()
    enter()
    setIsAsking(true)
  })
  useWindowEvent('beforeunload', (event) => {
    if (latest.current.isChanged) event.preventDefault()
  })
  return {
    isAsking,
    leave: () => {
      if (isChanged) setIsAsking(true)
      else history.back()
    },
    discard: () => {
      isDiscarded.current = true
      history.back()
    },
    stay: () => setIsAsking(false),
  }
}
