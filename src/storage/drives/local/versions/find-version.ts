import type { ObjectMetadata } from '../../drive.ts'
import { nullVersionId } from '../../versions.ts'
import { historyPathOf, type ObjectPath } from '../object-path.ts'
import { type ObjectFile, openAt, openObject } from '../objects/object-files.ts'
import type { OpenDrive } from '../open-drive.ts'
import { currentFile, readVersions } from './stored-versions.ts'
import { type StoredVersion, timeIn, versionIdOf } from './version-names.ts'

/** Looks again, because a version may become the current one, or a former one, meanwhile. */
const looks = 3

/** A version that is an object is open: the caller must close it. */
type FoundVersion =
  | { readonly kind: 'object'; readonly file: ObjectFile }
  | { readonly kind: 'marker'; readonly metadata: ObjectMetadata }

/** As Drive.isVersionId. */
export function isVersionId(text: string): boolean {
  return text === nullVersionId || timeIn(text) !== undefined
}

/** The object, or one of its versions; undefined if there is none. */
export async function findVersion(
  drive: OpenDrive,
  objectPath: ObjectPath,
  versionId: string | undefined,
): Promise<FoundVersion | undefined> {
  const hasVersions = drive.versioningOf(objectPath.bucket) !== undefined
  if (!hasVersions && versionId !== undefined && versionId !== nullVersionId) return undefined
  if (!hasVersions || versionId === undefined) {
    const file = await openObject(drive, objectPath)
    return file && { kind: 'object', file }
  }
  for (let look = 0; look < looks; look++) {
    const found = await lookFor(drive, objectPath, versionId)
    if (found !== undefined) return found
  }
  return undefined
}

/** A file with the time of a version `null` may have another ID, if it was put there by hand. */
export function withRequestedId<Metadata extends ObjectMetadata>(
  metadata: Metadata,
  versionId: string | undefined,
): Metadata {
  if (versionId === undefined || metadata.versionId === undefined) return metadata
  return { ...metadata, versionId }
}

async function lookFor(
  drive: OpenDrive,
  objectPath: ObjectPath,
  versionId: string,
): Promise<FoundVersion | undefined> {
  const { root } = drive
  // Before the store: a version that is replaced meanwhile has its name there first.
  const file = await openObject(drive, objectPath)
  let isFound = false
  try {
    const { current, withId } = await readVersions(drive, objectPath, file?.stats)
    isFound = current !== undefined && versionIdOf(current) === versionId
    if (isFound && file !== undefined) return { kind: 'object', file }
    const version = withId(versionId)
    if (version?.isDeleteMarker) return { kind: 'marker', metadata: markerMetadata(version) }
    const { filePath } = historyPathOf(objectPath)
    const stored = version && (await openAt(root, { ...filePath, name: version.name }))
    return stored && { kind: 'object', file: stored }
  } finally {
    if (!isFound && file !== undefined) await root.files.close(file.fd)
  }
}

/** As Drive.hidingMarker. */
export async function hidingMarker(
  drive: OpenDrive,
  objectPath: ObjectPath,
): Promise<string | undefined> {
  if (drive.versioningOf(objectPath.bucket) === undefined) return undefined
  if ((await currentFile(drive.root, objectPath)) !== undefined) return undefined
  const { newestFirst } = await readVersions(drive, objectPath, undefined)
  const [newest] = newestFirst()
  return newest?.isDeleteMarker ? versionIdOf(newest) : undefined
}

function markerMetadata(marker: StoredVersion): ObjectMetadata {
  return {
    ...{ size: 0, modifiedAtMs: timeIn(marker.time) ?? 0, isDeleteMarker: true },
    ...{ attributes: { etag: '', headers: {}, metadata: {} }, versionId: versionIdOf(marker) },
  }
}
