import { lazy, useEffect } from 'react'
import { BucketTabs } from '../buckets/bucket-tabs.tsx'
import { FolderBrowser } from './browse/folder-browser.tsx'
import { locationPath } from './files-location.ts'
import { storeLastFolder } from './last-folder.ts'
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
  if (bucket === undefined && location.scope !== 'all') return <BucketsPage />
  return (
    <>
      {bucket !== undefined && <BucketTabs bucket={bucket} here="files" />}
      <FolderBrowser
        // Each folder has its own selection, order and scroll position.
        key={`${bucket}/${prefix}`}
        location={{ ...location, bucket: bucket ?? '' }}
        navigation={navigation}
      />
    </>
  )
}
