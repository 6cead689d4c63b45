import { useCallback, useMemo } from 'react'
import { useLocation, useSearch } from 'wouter'
import { type FilesLocation, locationPath, readLocation } from './files-location.ts'

export interface FilesNavigation {
  readonly location: FilesLocation
  /** Goes there; `replace` leaves no step for the back button. */
  readonly open: (location: FilesLocation, options?: { readonly replace?: boolean }) => void
}

export function useFilesLocation(): FilesNavigation {
  const [path, navigate] = useLocation()
  const search = useSearch()
  const location = useMemo(() => readLocation(path, search), [path, search])
  const open = useCallback(
    (target: FilesLocation, options: { readonly replace?: boolean } = {}) =>
      navigate(locationPath(target), options),
    [navigate],
  )
  return useMemo(() => ({ location, open }), [location, open])
}
