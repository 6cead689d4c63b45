import { lazy, useEffect } from 'react'
import { BucketTabs } from '../buckets/bucket-tabs.tsx'
import { FolderBrowser } from './browse/folder-browser.tsx'
import { isView, locationPath } from './files-location.ts'
import { FilesViews } from './files-views.tsx'
import { storeLastFolder } from './last-folder.ts'
import { stars } from './stars/star-store.ts'
import { useFilesLocation } from './use-files-location.ts'

const BucketsPage = lazy(async () => {
  const { BucketsPage } = await import('../buckets/buckets-page.tsx')
  return { default: BucketsPage }
})

/** The file browser: the buckets, or a folder in one of them. */
export function FilesPage() {
  const { location, ...navigation } = useFilesLocation()
  const { bucket, prefix } = location
  const folder = locationPath({ bucket, prefix, filter: '' })
  useEffect(() => storeLastFolder(folder), [folder])
  useEffect(() => {
    const leaving = new AbortController()
    // Without them, rows show no stars.
    stars.load(leaving.signal).catch(() => undefined)
    return () => leaving.abort()
  }, [])
  if (bucket === undefined && location.scope === undefined) return <BucketsPage />
  return (
    <>
      {bucket !== undefined && <BucketTabs bucket={bucket} here="files" />}
      {isView(location.scope) && <FilesViews here={location.scope} />}
      <FolderBrowser
        // Each folder has its own selection, order and scroll position.
        key={isView(location.scope) ? location.scope : `${bucket}/${prefix}`}
        location={{ ...location, bucket: bucket ?? '' }}
        navigation={navigation}
      />
    </>
  )
}
