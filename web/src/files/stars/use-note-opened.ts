import { useEffect } from 'react'
import { request } from '../../api/client.ts'
import type { BucketLocation } from '../browse/browser.ts'
import { viewedFile } from '../preview/viewed-address.ts'

/** Tells the server which file is viewed, for the list of recent files. */
export function useNoteOpened(location: BucketLocation): void {
  const { bucket = '', key = '' } = viewedFile(location) ?? {}
  useEffect(() => {
    if (bucket === '' || key === '') return
    const body = { bucket, key }
    // It is only missing in that list.
    request('/-/api/recent', { method: 'POST', body }).catch(() => undefined)
  }, [bucket, key])
}
