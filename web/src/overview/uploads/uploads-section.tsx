import { Button, Text } from '@mantine/core'
import { FailureNotice } from '../../ui/failure-notice.tsx'
import { LoadingLines } from '../../ui/loading-lines.tsx'
import { RowList } from '../../ui/row-list.tsx'
import { Section } from '../../ui/section.tsx'
import { useUploads } from '../overview-queries.ts'
import { UploadRow } from './upload-row.tsx'

export function UploadsSection() {
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = useUploads()
  const uploads = data?.pages.flatMap((page) => page.uploads)
  return (
    <Section title="Open uploads">
      {uploads === undefined && error === null && <LoadingLines count={2} />}
      {uploads === undefined && error !== null && (
        <FailureNotice
          title="The open uploads could not be loaded"
          error={error}
          onRetry={() => void refetch()}
        />
      )}
      {uploads?.length === 0 && (
        <Text size="sm" c="dimmed">
          None. Multipart uploads appear here until they are completed.
        </Text>
      )}
      {uploads !== undefined && uploads.length > 0 && (
        <RowList>
          {uploads.map((upload) => (
            <UploadRow key={upload.uploadId} upload={upload} />
          ))}
        </RowList>
      )}
      {hasNextPage && (
        <Button
          variant="default"
          size="xs"
          mt="sm"
          loading={isFetchingNextPage}
          onClick={() => void fetchNextPage()}
        >
          Show more
        </Button>
      )}
    </Section>
  )
}
