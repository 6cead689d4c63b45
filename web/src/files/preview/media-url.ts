import { queryOptions, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import type { FileEntry } from '../entries/entry.ts'
import { previewKind, previewType } from '../entries/preview-kind.ts'
import { objectUrl } from '../s3/bucket-client.ts'
import type { ObjectDetails } from '../s3/object-details.ts'
import { objectDetails } from '../s3/use-object-details.ts'
import { decoderKind } from '../thumbnails/thumbnail-kind.ts'

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

/** Preloads the pictures next to the shown one, if the browser decodes them. */
export function usePicturesAhead(
  bucket: string,
  neighbours: readonly (FileEntry | undefined)[],
  isReady: boolean,
): void {
  const client = useQueryClient()
  const ahead = neighbours.flatMap((file) =>
    file !== undefined && isOwnPicture(file.key, '') && file.size <= maxAheadBytes
      ? [[file.bucket ?? bucket, file.key]]
      : [],
  )
  const addresses = JSON.stringify(ahead)
  useEffect(() => {
    if (!isReady) return
    let isGone = false
    const load = async (of: string, key: string) => {
      const details = await client.ensureQueryData(objectDetails(of, key))
      if (isGone || !isOwnPicture(key, details.contentType)) return
      new Image().src = await client.ensureQueryData(mediaUrl(of, key, details))
    }
    // A picture that fails here is requested again when it is shown, and the failure is shown then.
    for (const [of, key] of JSON.parse(addresses) as [string, string][]) {
      void load(of, key).catch(() => undefined)
    }
    return () => {
      isGone = true
    }
  }, [client, addresses, isReady])
}

function isOwnPicture(key: string, contentType: string): boolean {
  return previewKind(key, contentType) === 'image' && decoderKind(key, contentType) === undefined
}
