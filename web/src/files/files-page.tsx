import { FolderBrowser } from './browse/folder-browser.tsx'
import { BucketChooser } from './bucket-chooser.tsx'
import { useFilesLocation } from './use-files-location.ts'

/** The file browser: the buckets, or a folder in one of them. */
export function FilesPage() {
  const { location, ...navigation } = useFilesLocation()
  const { bucket, prefix } = location
  if (bucket === undefined) return <BucketChooser />
  return (
    // Each folder has its own selection, order and scroll position.
    <FolderBrowser
      key={`${bucket}/${prefix}`}
      location={{ ...location, bucket }}
      navigation={navigation}
    />
  )
}
