import { useEffect, useRef } from 'react'

const mark = { isForDialog: true }

function isMarked(): boolean {
  return (history.state as Partial<typeof mark> | null)?.isForDialog === true
}

/**
 * Gives a dialog its own history entry, so that Back asks it instead of leaving the page.
 *
 * @param onBack returns whether the dialog closes.
 */
export function useBack(onBack: () => boolean): void {
  const latest = useRef(onBack)
  useEffect(() => {
    latest.current = onBack
  })
  useEffect(() => {
    const add = () => history.pushState(mark, '', location.href)
    const answer = () => {
      if (!isMarked() && !latest.current()) add()
    }
    add()
    addEventListener('popstate', answer)
    return () => {
      removeEventListener('popstate', answer)
      if (isMarked()) history.back()
    }
  }, [])
}
