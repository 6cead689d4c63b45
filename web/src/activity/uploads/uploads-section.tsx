import { Text } from '@mantine/core'
import type { UploadStatus } from '../../../../src/dashboard/management/management-schemas.ts'
import { useUploads } from '../../api/service-queries.ts'
import { Loaded } from '../../ui/loaded.tsx'
import { MoreButton } from '../../ui/more-button.tsx'
import { RowList } from '../../ui/row-list.tsx'
import { Section } from '../../ui/section.tsx'
import { OpenUploadRow } from './upload-row.tsx'

/** @param bucket only uploads to this bucket */
export function UploadsSection({ bucket }: { readonly bucket?: string }) {
  const query = useUploads(bucket)
  return (
    <Section title="Open uploads">
      <Loaded query={query} failure="The open uploads could not be loaded" lines={2}>
        {({ pages }) => <Uploads uploads={pages.flatMap(({ uploads }) => uploads)} />}
      </Loaded>
      <MoreButton query={query} />
    </Section>
  )
}

function Uploads({ uploads }: { readonly uploads: readonly UploadStatus[] }) {
  if (uploads.length === 0) {
    return (
      <Text size="sm" c="dimmed">
        None. Multipart uploads appear here until they are completed.
      </Text>
    )
  }
  return (
    <RowList>
      {uploads.map((upload) => (
        <OpenUploadRow key={upload.uploadId} upload={upload} />
      ))}
    </RowList>
  )
}
