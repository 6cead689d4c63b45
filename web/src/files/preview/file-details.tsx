import { useBucket } from '../../api/service-queries.ts'
import type { FileEntry } from '../entries/entry.ts'
import { NameText } from '../entries/name-text.tsx'
import { useObjectDetails } from '../s3/use-object-details.ts'
import { VersionsPanel } from '../versions/versions-panel.tsx'
import { DetailsDrawer } from './details-drawer.tsx'
import { ObjectDetailsPanel } from './object-details-panel.tsx'

interface FileDetailsProps {
  readonly bucket: string
  readonly file: FileEntry
  readonly onClose: () => void
}

/** The details of a file, opened from the list. */
export function FileDetails({ bucket: name, file, onClose }: FileDetailsProps) {
  const bucket = useBucket(name)
  const details = useObjectDetails(name, file.key)
  return (
    <DetailsDrawer title={<NameText name={file.name} />} onClose={onClose}>
      <ObjectDetailsPanel bucket={name} file={file} details={details} />
      {bucket !== undefined && bucket.versioning !== 'off' && (
        <VersionsPanel bucket={bucket} file={file} />
      )}
    </DetailsDrawer>
  )
}
