import { queryOptions, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import type { FileEntry } from '../entries/entry.ts'
import { kindByName, previewKind, previewType } from '../entries/preview-kind.ts'
import { objectUrl } from '../s3/bucket-client.ts'
import type { ObjectDetails } from '../s3/object-details.ts'
import { objectDetails } from '../s3/use-object-details.ts'

/** A video requests its last bytes with the same URL, even after a long pause. */
const mediaSeconds = 6 * 60 * 60

/** The maximum size of pictures that are preloaded. */
const maxAheadBytes = 20 * 1024 * 1024

/** The URL of an element that shows an object. */
export function mediaUrl(
  bucket: string,
  key: string,
  { contentType, etag, versionId }: ObjectDetails,
) {
  const type = previewType(key, contentType)
  return queryOptions({
    queryKey: ['object-url', bucket, key, etag, versionId],
    queryFn: () =>
      objectUrl(
        { bucket, key, versionId },
        type === undefined ? {} : { 'response-content-type': type },
        mediaSeconds,
      ),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 60_000,
  })
}

/** Preloads the pictures next to the shown one. */
export function usePicturesAhead(
  bucket: string,
  neighbours: readonly (FileEntry | undefined)[],
  isReady: boolean,
): void {
  const client = useQueryClient()
  const ahead = neighbours.flatMap((file) =>
    file !== undefined && kindByName(file.key) === 'image' && file.size <= maxAheadBytes
      ? [file.key]
      : [],
  )
  const keys = JSON.stringify(ahead)
  useEffect(() => {
    if (!isReady) return
    let isGone = false
    const load = async (key: string) => {
      const details = await client.ensureQueryData(objectDetails(bucket, key))
      if (isGone || previewKind(key, details.contentType) !== 'image') return
      new Image().src = await client.ensureQueryData(mediaUrl(bucket, key, details))
    }
    // A picture that fails here is requested again when it is shown, and the failure is shown then.
    for (const key of JSON.parse(keys) as string[]) void load(key).catch(() => undefined)
    return () => {
      isGone = true
    }
  }, [client, bucket, keys, isReady])
}
