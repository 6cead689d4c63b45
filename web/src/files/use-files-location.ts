import { useCallback, useMemo } from 'react'
import { useLocation } from 'wouter'
import { useSearch } from 'wouter/use-browser-location'
import { type FilesLocation, locationPath, readLocation } from './files-location.ts'

export interface FilesNavigation {
  readonly location: FilesLocation
  /** Opens a location; `replace` adds no history entry. */
  readonly open: (location: FilesLocation, options?: { readonly replace?: boolean }) => void
  /** Opens a file in the preview, with a history entry. */
  readonly view: (name: string) => void
  /** Closes the preview; goes back in history if it was opened in this page. */
  readonly closeView: () => void
}

/** Stored in the history entry: Back leads to the folder. */
const openedHere = { isPreviewOpenedHere: true }

function wasOpenedHere(): boolean {
  return (history.state as Partial<typeof openedHere> | null)?.isPreviewOpenedHere === true
}

export function useFilesLocation(): FilesNavigation {
  const [path, navigate] = useLocation()
  const search = useSearch()
  const location = useMemo(() => readLocation(path, search), [path, search])
  const open = useCallback<FilesNavigation['open']>(
    (target, options = {}) => navigate(locationPath(target), options),
    [navigate],
  )
  const view = useCallback(
    (name: string) => {
      // From one file to the next: Back still leads to the folder.
      const replace = location.view !== undefined
      const state = !replace || wasOpenedHere() ? openedHere : null
      navigate(locationPath({ ...location, view: name }), { replace, state })
    },
    [location, navigate],
  )
  const closeView = useCallback(() => {
    if (location.view === undefined) return
    if (wasOpenedHere()) history.back()
    else navigate(locationPath({ ...location, view: undefined }), { replace: true })
  }, [location, navigate])
  return useMemo(() => ({ location, open, view, closeView }), [location, open, view, closeView])
}
