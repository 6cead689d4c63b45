import { Text } from '@mantine/core'
import type { UploadStatus } from '../../../../src/dashboard/management/management-schemas.ts'
import { useUploads } from '../../api/service-queries.ts'
import { activityTexts } from '../../texts/activity.ts'
import { Loaded } from '../../ui/loaded.tsx'
import { MoreButton } from '../../ui/more-button.tsx'
import { RowList } from '../../ui/row-list.tsx'
import { Section } from '../../ui/section.tsx'
import { OpenUploadRow } from './upload-row.tsx'

/** @param bucket only uploads to this bucket */
export function UploadsSection({ bucket }: { readonly bucket?: string }) {
  const query = useUploads(bucket)
  return (
    <Section title={activityTexts.uploads.title}>
      <Loaded query={query} failure={activityTexts.uploads.failure} lines={2}>
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
        {activityTexts.uploads.none}
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
