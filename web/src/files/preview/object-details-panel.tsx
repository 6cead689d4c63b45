import { Text } from '@mantine/core'
import { fileTimeOf } from '../../../../src/platform/text/file-time.ts'
import { formatBytes, formatExactBytes } from '../../format/bytes.ts'
import { formatMoment } from '../../format/time.ts'
import { CopyButton } from '../../ui/copy/copy-button.tsx'
import type { FileEntry } from '../entries/entry.ts'
import { NameText } from '../entries/name-text.tsx'
import { s3Uri } from '../entries/object-address.ts'
import type { ObjectDetails } from '../s3/object-details.ts'
import type { DetailsQuery } from '../s3/use-object-details.ts'
import { copyable, type Detail, DetailList } from './detail-list.tsx'

interface ObjectDetailsPanelProps {
  readonly bucket: string
  readonly file: FileEntry
  readonly details: DetailsQuery
}

/** The metadata of a file. */
export function ObjectDetailsPanel({ bucket, file, details }: ObjectDetailsPanelProps) {
  const { data, error } = details
  return (
    <>
      <DetailList
        details={[
          copyable('Key', file.key, 'key'),
          copyable('S3 address', s3Uri(bucket, file.key)),
          ...(data === undefined ? [] : knownDetails(data, file)),
        ]}
      />
      {error !== null && (
        <Text size="sm" c="red" role="alert">
          {error.message}
        </Text>
      )}
    </>
  )
}

function knownDetails(details: ObjectDetails, listed: FileEntry): readonly Detail[] {
  const { size, contentType, etag, modifiedAtMs, headers, metadata } = details
  const fileTimeMs = fileTimeOf(Object.fromEntries(metadata))
  return [
    [
      'Size',
      <span key="size" title={formatExactBytes(size)}>
        {formatBytes(size)}
      </span>,
    ],
    ['Type', contentType === '' ? 'none' : contentType],
    ...(fileTimeMs === undefined ? [] : [['Modified', modifiedText(fileTimeMs, listed)] as const]),
    ['Uploaded', Number.isFinite(modifiedAtMs) ? formatMoment(modifiedAtMs) : 'unknown'],
    ['ETag', <code key="etag">{etag}</code>, <CopyButton key="copy" text={etag} what="ETag" />],
    ...headers.map(([name, value]): Detail => [name, <NameText key="value" name={value} />]),
    ...metadata.map(
      ([name, value]): Detail => [`x-amz-meta-${name}`, <NameText key="value" name={value} />],
    ),
  ]
}

/** Lists of S3 stores have no metadata. */
function modifiedText(fileTimeMs: number, listed: FileEntry): string {
  const isInList = listed.fileTimeMs !== undefined
  return `${formatMoment(fileTimeMs)}${isInList ? '' : ' (the list shows when it was uploaded)'}`
}
