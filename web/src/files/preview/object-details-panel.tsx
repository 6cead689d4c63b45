import { Text } from '@mantine/core'
import { queryOptions, useQuery } from '@tanstack/react-query'
import { fileTimeOf } from '../../../../src/platform/text/file-time.ts'
import { formatBytes, formatExactBytes } from '../../format/bytes.ts'
import { formatMoment } from '../../format/time.ts'
import { previewTexts } from '../../texts/preview.ts'
import { CopyButton } from '../../ui/copy/copy-button.tsx'
import type { FileEntry } from '../entries/entry.ts'
import { NameText } from '../entries/name-text.tsx'
import { s3Uri } from '../entries/object-address.ts'
import { previewType } from '../entries/preview-kind.ts'
import { readBytes } from '../s3/bucket-client.ts'
import type { ObjectDetails } from '../s3/object-details.ts'
import { objectTags } from '../s3/object-tags.ts'
import type { DetailsQuery } from '../s3/use-object-details.ts'
import { copyable, type Detail, DetailList } from './detail-list.tsx'
import { type PhotoFacts, photoFacts } from './photo/exif.ts'

interface ObjectDetailsPanelProps {
  readonly bucket: string
  readonly file: FileEntry
  readonly details: DetailsQuery
}

/** The metadata of a file. */
export function ObjectDetailsPanel({ bucket, file, details }: ObjectDetailsPanelProps) {
  const { data } = details
  const { key } = file
  const { versionId, etag = '' } = data ?? {}
  const tags = useQuery({
    ...objectTags({ bucket, key, versionId }, etag),
    enabled: data !== undefined,
  })
  const { data: photo } = useQuery(photoQuery(bucket, key, data))
  const error = details.error ?? tags.error
  return (
    <>
      <DetailList
        details={[
          copyable(previewTexts.details.key, key, previewTexts.details.keyWhat),
          copyable(previewTexts.details.address, s3Uri(bucket, key)),
          ...(data === undefined ? [] : knownDetails(data, file)),
          ...(tags.data ?? []).map(
            ([name, value]): Detail => [
              previewTexts.details.tag(name),
              <NameText key="value" name={value} />,
            ],
          ),
          ...photoDetails(photo ?? {}),
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

/** The facts are in front of the picture. */
const photoBytes = 128 * 1024
const photoType = /^image\/(?:jpeg|heic|heif|png)\b/

/** Read by a request for the beginning of the file. */
function photoQuery(bucket: string, key: string, details: ObjectDetails | undefined) {
  const { etag = '', versionId, contentType = '' } = details ?? {}
  return queryOptions({
    queryKey: ['photo', bucket, key, etag, versionId],
    queryFn: async ({ signal }) => {
      const address = { bucket, key, etag, versionId }
      return photoFacts(await readBytes(address, { first: 0, last: photoBytes - 1 }, signal)) ?? {}
    },
    enabled: photoType.test(previewType(key, contentType) ?? contentType),
    gcTime: 60_000,
  })
}

function photoDetails({ camera, lens, exposure, taken, place }: PhotoFacts): readonly Detail[] {
  const shown = [
    [previewTexts.details.camera, camera],
    [previewTexts.details.lens, lens],
    [previewTexts.details.exposure, exposure],
    [previewTexts.details.taken, taken],
  ] as const
  return [
    ...shown.flatMap(([name, fact]): readonly Detail[] =>
      fact === undefined ? [] : [[name, <NameText key="value" name={fact} />]],
    ),
    // Without a map, which would tell another server about the photo.
    ...(place === undefined
      ? []
      : [
          copyable(
            previewTexts.details.place,
            place.map((degrees) => degrees.toFixed(5)).join(', '),
            previewTexts.details.placeWhat,
          ),
        ]),
  ]
}

function knownDetails(details: ObjectDetails, listed: FileEntry): readonly Detail[] {
  const { size, contentType, etag, modifiedAtMs, checksums, headers, metadata } = details
  const fileTimeMs = fileTimeOf(Object.fromEntries(metadata))
  return [
    [
      previewTexts.details.size,
      <span key="size" data-tip={formatExactBytes(size)}>
        {formatBytes(size)}
      </span>,
    ],
    [previewTexts.details.type, contentType === '' ? previewTexts.details.noType : contentType],
    ...(fileTimeMs === undefined
      ? []
      : [[previewTexts.details.modified, modifiedText(fileTimeMs, listed)] as const]),
    [
      previewTexts.details.uploaded,
      Number.isFinite(modifiedAtMs) ? formatMoment(modifiedAtMs) : previewTexts.details.unknown,
    ],
    ['ETag', <code key="etag">{etag}</code>, <CopyButton key="copy" text={etag} what="ETag" />],
    ...checksums.map(([name, value]) => copyable(name, value)),
    ...headers.map(([name, value]): Detail => [name, <NameText key="value" name={value} />]),
    ...metadata
      // Shown as the time of modification.
      .filter(([name]) => name !== 'mtime' || fileTimeMs === undefined)
      .map(
        ([name, value]): Detail => [`x-amz-meta-${name}`, <NameText key="value" name={value} />],
      ),
  ]
}

/** Lists of S3 stores have no metadata. */
function modifiedText(fileTimeMs: number, listed: FileEntry): string {
  const isInList = listed.fileTimeMs !== undefined
  const time = formatMoment(fileTimeMs)
  return isInList ? time : previewTexts.details.notListed(time)
}
