import type { Attributes } from '../../attributes.ts'
import type { ObjectMetadata } from '../../drive.ts'
import { maxKeyBytes } from '../../kit/names/key-path.ts'
import { provisionalEtag } from '../../kit/stored-attributes.ts'
import { folderType, type GoogleFile, googleTypePrefix } from '../api/google-file.ts'
import { deepProperty, deepSegmentOfName, segmentOfName } from '../google-names.ts'
import { type UnpackedAttributes, unpackAttributes } from '../objects/file-metadata.ts'
import { type IndexedFile, type KeptAttributes, sortNameOf } from './drive-index.ts'

/** The property of folders that only keys created. */
export const ownFolderProperty = 'own'

/**
 * The index row of a file on Google. Undefined for files without a key: those in the trash,
 * Google's own documents (which have no bytes), shortcuts, and names that are ill-formed or too
 * long for a key.
 *
 * @param kept attributes in the database that did not fit in the file's properties.
 */
export function indexedFile(file: GoogleFile, kept?: KeptAttributes): IndexedFile | undefined {
  const [parent] = file.parents
  if (file.trashed || parent === undefined) return undefined
  const isFolder = file.mimeType === folderType
  if (!isFolder && file.mimeType.startsWith(googleTypePrefix)) return undefined
  const segment = segmentOf(file)
  if (segment === undefined || Buffer.byteLength(segment) > maxKeyBytes) return undefined
  const kind = isFolder ? 'folder' : 'file'
  const { id, mimeType, createdAtMs, modifiedAtMs, version } = file
  const common = { id, parent, kind, mimeType, createdAtMs, modifiedAtMs, version } as const
  const sortName = sortNameOf(segment, kind)
  const none = { size: 0, md5: '', revision: '', etag: '', attributes: '' }
  return isFolder
    ? { ...common, ...none, sortName, isOwn: file.appProperties[ownFolderProperty] !== undefined }
    : { ...common, ...contentOf(file, kept), sortName, isOwn: false }
}

/** Whether some attributes of the file are only in the database. */
export function needsKeptAttributes(file: GoogleFile): boolean {
  return unpackAttributes(file.appProperties, file.md5Checksum)?.isWhole === false
}

/** The row with these attributes instead of those from the file's properties. */
export function withAttributes(file: IndexedFile, attributes: Attributes): IndexedFile {
  return { ...file, etag: attributes.etag, attributes: JSON.stringify(attributes) }
}

export function indexedMetadata(file: IndexedFile): ObjectMetadata {
  const { size, modifiedAtMs } = file
  return { size, modifiedAtMs, attributes: attributesOf(file) }
}

/** If several files have one name, the newest counts; if they are equally new, the file with the greatest ID. */
export function newestFirst(files: readonly IndexedFile[]): IndexedFile[] {
  return files.toSorted((a, b) => b.modifiedAtMs - a.modifiedAtMs || (a.id < b.id ? 1 : -1))
}

/** Folders of one name count as one folder; new files are created in the oldest. */
export function oldestFirst<File extends Pick<IndexedFile, 'id' | 'createdAtMs'>>(
  folders: readonly File[],
): File[] {
  return folders.toSorted((a, b) => a.createdAtMs - b.createdAtMs || (a.id < b.id ? -1 : 1))
}

function attributesOf(file: IndexedFile): Attributes {
  if (file.attributes !== '') return JSON.parse(file.attributes) as Attributes
  return { etag: file.etag, headers: { 'content-type': file.mimeType }, metadata: {} }
}

function segmentOf({ name, appProperties }: GoogleFile): string | undefined {
  return appProperties[deepProperty] === undefined ? segmentOfName(name) : deepSegmentOfName(name)
}

function contentOf(file: GoogleFile, kept: KeptAttributes | undefined) {
  const { size = 0, md5Checksum: md5, headRevisionId: revision = '' } = file
  const unpacked = unpackAttributes(file.appProperties, md5)
  return {
    size,
    md5: md5 ?? '',
    revision,
    etag: unpacked?.attributes.etag ?? md5 ?? provisionalEtag(versionOf(file)),
    attributes: jsonOf(unpacked, kept?.md5 === md5 ? kept : undefined),
  }
}

function jsonOf(unpacked: UnpackedAttributes | undefined, kept: KeptAttributes | undefined) {
  if (unpacked === undefined) return ''
  if (!unpacked.isWhole && kept !== undefined) return kept.json
  return JSON.stringify(unpacked.attributes)
}

function versionOf({ id, headRevisionId, version }: GoogleFile): string {
  return `${id} ${headRevisionId ?? version}`
}
