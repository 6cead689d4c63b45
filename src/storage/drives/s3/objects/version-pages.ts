import { type ListObjectsV2CommandInput, ListObjectVersionsCommand } from '@aws-sdk/client-s3'
import { compareKeys } from '../../../../platform/text/key-order.ts'
import type { ObjectMetadata, ObjectName } from '../../drive.ts'
import type { FolderEntry } from '../../listed-entry.ts'
import { nullVersionId, type VersionEntry } from '../../versions.ts'
import type { StoreContext } from '../probe/probe.ts'
import { bareEtag, markersIn, secondOf } from '../requests/store.ts'

/** What a page of the store is asked for. */
export interface PageAsked extends Pick<ListObjectsV2CommandInput, 'MaxKeys' | 'Delimiter'> {
  readonly Bucket: string
  readonly Prefix: string
  /** The prefix of every key of the bucket. */
  readonly folder: string
  /** Without the folder. Empty: from the beginning. */
  readonly after: string
  readonly afterVersionId?: string | undefined
  /** Of the page before; then `after` does not count. */
  readonly token: unknown
}

export interface StorePage<Item> {
  readonly entries: Item[]
  /** Of the next page. Undefined on the last one. */
  readonly token: unknown
}

/** A page of ListObjectVersions. Its token is a key and a version ID. */
export async function versionPage(
  { store }: StoreContext,
  { Bucket, Prefix, folder, after, afterVersionId, token, ...query }: PageAsked,
): Promise<StorePage<VersionEntry | FolderEntry>> {
  const start = token as VersionToken | undefined
  const { key: KeyMarker, versionId: VersionIdMarker } = start ?? {
    ...{ key: after && folder + after, versionId: afterVersionId },
  }
  const command = new ListObjectVersionsCommand({
    ...{ Bucket, Prefix, EncodingType: 'url', ...query },
    ...(KeyMarker && { KeyMarker }),
    ...(VersionIdMarker && { VersionIdMarker }),
  })
  const page = await store.send(command)
  const isEncoded = page.EncodingType === 'url'
  const textOf = (text = '') => (isEncoded ? decoded(text) : text)
  const lists = { versions: [...(page.Versions ?? [])], markers: [...(page.DeleteMarkers ?? [])] }
  const entries = markersIn(page).flatMap((isDeleteMarker): VersionEntry[] => {
    const version = lists[isDeleteMarker ? 'markers' : 'versions'].shift()
    if (version === undefined) return []
    const { Key, VersionId, IsLatest, LastModified } = version
    const { Size = 0, ETag, StorageClass = 'STANDARD' } = isDeleteMarker ? {} : (version as Sized)
    return [
      {
        ...{ kind: 'object', key: textOf(Key).slice(folder.length), size: Size, isDeleteMarker },
        ...{ versionId: VersionId || nullVersionId, isLatest: IsLatest ?? false },
        ...{ modifiedAtMs: LastModified?.getTime() ?? 0, etag: bareEtag(ETag) },
        ...(StorageClass !== 'STANDARD' && { storageClass: StorageClass }),
      },
    ]
  })
  const folders = (page.CommonPrefixes ?? []).map(
    ({ Prefix: name }): FolderEntry => ({ kind: 'folder', key: textOf(name).slice(folder.length) }),
  )
  const { timed, newer } = withTimes([...entries, ...folders].sort(newestFirst), start?.newer)
  const { NextKeyMarker, NextVersionIdMarker: versionId } = page
  const next: VersionToken = { key: textOf(NextKeyMarker), versionId, newer }
  return { entries: timed, token: page.IsTruncated ? next : undefined }
}

/** Where the next page begins. */
interface VersionToken {
  readonly key: string
  readonly versionId: string | undefined
  /** The last version of the page before. */
  readonly newer: VersionEntry | undefined
}

interface Sized {
  readonly Size?: number
  readonly ETag?: string
  readonly StorageClass?: string
}

/** Encoded like a form: a space may be a plus. */
export function decoded(text: string): string {
  return decodeURIComponent(text.replaceAll('+', ' '))
}

/** moto and versitygw list all delete markers after all versions. Others have the right order, also within a second. */
function newestFirst(one: VersionEntry | FolderEntry, other: VersionEntry | FolderEntry): number {
  const byKey = compareKeys(one.key, other.key)
  if (byKey !== 0 || one.kind === 'folder' || other.kind === 'folder') return byKey
  const byLatest = Number(other.isLatest) - Number(one.isLatest)
  return byLatest || other.modifiedAtMs - one.modifiedAtMs
}

/** Adds when each version was replaced, and leaves whole seconds. @param newer the version before these */
function withTimes(
  entries: readonly (VersionEntry | FolderEntry)[],
  newer: VersionEntry | undefined,
) {
  const timed = entries.map((entry) => {
    if (entry.kind === 'folder') return entry
    const modifiedAtMs = secondOf(new Date(entry.modifiedAtMs))
    const replaced = newer?.key === entry.key && { replacedAtMs: newer.modifiedAtMs }
    newer = { ...entry, modifiedAtMs, ...replaced }
    return newer
  })
  return { timed, newer }
}

/** The delete marker with this ID. */
export async function markerOf(
  context: StoreContext,
  { bucket, key }: ObjectName,
  versionId: string,
): Promise<ObjectMetadata | undefined> {
  const { Bucket, prefix: folder } = context.names.placeOf(bucket)
  let token: unknown
  do {
    const asked = { Bucket, Prefix: folder + key, folder, after: '', token, MaxKeys: 1000 }
    const page = await versionPage(context, asked)
    for (const entry of page.entries) {
      // Greater keys follow.
      if (entry.kind === 'folder' || entry.key !== key) return undefined
      if (entry.versionId === versionId) return entry.isDeleteMarker ? markerIn(entry) : undefined
    }
    token = page.token
  } while (token !== undefined)
  return undefined
}

function markerIn({ modifiedAtMs, versionId }: VersionEntry): ObjectMetadata {
  const attributes = { etag: '', headers: {}, metadata: {} }
  return { size: 0, modifiedAtMs, attributes, versionId, isDeleteMarker: true }
}
