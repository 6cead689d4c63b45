import { digestOf } from './content-store.ts'
import { asksFor, type FieldMask, type FieldSchema } from './field-mask.ts'
import { type FileRecord, isFolder, isInTrash } from './file-record.ts'

/** Members of a file in Drive (reference "REST Resource: files"), emulated or not. */
const memberNames = `
  kind driveId fileExtension copyRequiresWriterPermission md5Checksum writersCanShare viewedByMe
  mimeType parents thumbnailLink iconLink shared headRevisionId webViewLink webContentLink size
  viewersCanCopyContent permissions hasThumbnail spaces folderColorRgb id name description starred
  trashed explicitlyTrashed createdTime modifiedTime modifiedByMeTime viewedByMeTime
  sharedWithMeTime quotaBytesUsed version originalFilename ownedByMe fullFileExtension properties
  appProperties isAppAuthorized teamDriveId hasAugmentedPermissions thumbnailVersion trashedTime
  modifiedByMe permissionIds sha1Checksum sha256Checksum resourceKey
`
const objectNames = `
  exportLinks owners capabilities imageMediaMetadata videoMediaMetadata lastModifyingUser
  sharingUser trashingUser contentHints contentRestrictions linkShareMetadata labelInfo
  downloadRestrictions inheritedPermissionsDisabled
`
const shortcutSchema: FieldSchema = {
  targetId: true,
  targetMimeType: true,
  targetResourceKey: true,
}

export const fileSchema: FieldSchema = {
  ...leaves(`${memberNames} ${objectNames}`),
  shortcutDetails: shortcutSchema,
}

export const fileListSchema: FieldSchema = {
  kind: true,
  incompleteSearch: true,
  nextPageToken: true,
  files: fileSchema,
}

export const changeListSchema: FieldSchema = {
  kind: true,
  nextPageToken: true,
  newStartPageToken: true,
  changes: {
    ...leaves('kind removed fileId time driveId type changeType teamDriveId drive teamDrive'),
    file: fileSchema,
  },
}

/** The default fields of a file. */
export const defaultFileMask: FieldMask = new Map(
  ['kind', 'id', 'name', 'mimeType'].map((name) => [name, 'all']),
)

export function leaves(names: string): Record<string, true> {
  return Object.fromEntries(
    names
      .trim()
      .split(/\s+/)
      .map((name) => [name, true]),
  )
}

/** The file as Drive's JSON, with all fields. The mask only avoids unneeded digests. */
export async function fileResource(
  record: FileRecord,
  { records, mask }: { records: ReadonlyMap<string, FileRecord>; mask: FieldMask },
): Promise<Record<string, unknown>> {
  return {
    ...commonMembers(record, records),
    ...(record.content === undefined ? {} : await contentMembers(record, mask)),
    ...shortcutMembers(record, records),
  }
}

function commonMembers(
  record: FileRecord,
  records: ReadonlyMap<string, FileRecord>,
): Record<string, unknown> {
  const { driveId, description } = record
  const isOwn = driveId === undefined && record.owner === 'user'
  return {
    kind: 'drive#file',
    id: record.id,
    name: record.name,
    mimeType: record.mimeType,
    starred: record.isStarred,
    trashed: isInTrash(record, records),
    explicitlyTrashed: record.isTrashed,
    ...(record.parent === undefined ? {} : { parents: [record.parent] }),
    ...(Object.keys(record.properties).length === 0 ? {} : { properties: record.properties }),
    // Absent, not empty, when there are none.
    ...(Object.keys(record.appProperties).length === 0
      ? {}
      : { appProperties: record.appProperties }),
    ...(description === undefined ? {} : { description }),
    ...(driveId === undefined ? {} : { driveId, teamDriveId: driveId }),
    spaces: ['drive'],
    version: String(record.version),
    createdTime: new Date(record.createdAtMs).toISOString(),
    modifiedTime: new Date(record.modifiedAtMs).toISOString(),
    ...(driveId === undefined ? { ownedByMe: isOwn } : {}),
    shared: driveId !== undefined,
    isAppAuthorized: true,
    capabilities: capabilities(record),
    webViewLink: `https://drive.google.com/file/d/${record.id}/view`,
  }
}

function capabilities(record: FileRecord): Record<string, boolean> {
  const canAddChildren = isFolder(record)
  return {
    canAddChildren,
    canListChildren: canAddChildren,
    canCopy: !canAddChildren,
    canDelete: true,
    canDownload: record.content !== undefined,
    canEdit: true,
    canTrash: record.parent !== undefined,
    canRename: true,
  }
}

async function contentMembers(
  record: FileRecord,
  mask: FieldMask,
): Promise<Record<string, unknown>> {
  const { content, headRevisionId, name, id } = record
  if (content === undefined) return {}
  const extension = /\.([^.]+)$/.exec(name)?.[1] ?? ''
  return {
    size: String(content.size),
    quotaBytesUsed: String(content.size),
    md5Checksum: content.md5,
    ...(asksFor(mask, ['sha1Checksum']) ? { sha1Checksum: await digestOf(content, 'sha1') } : {}),
    ...(asksFor(mask, ['sha256Checksum'])
      ? { sha256Checksum: await digestOf(content, 'sha256') }
      : {}),
    headRevisionId,
    originalFilename: name,
    fileExtension: extension,
    fullFileExtension: extension,
    webContentLink: `https://drive.google.com/uc?id=${id}&export=download`,
  }
}

function shortcutMembers(
  record: FileRecord,
  records: ReadonlyMap<string, FileRecord>,
): Record<string, unknown> {
  const targetId = record.shortcutTargetId
  if (targetId === undefined) return {}
  const target = records.get(targetId)
  return {
    shortcutDetails: {
      targetId,
      ...(target === undefined ? {} : { targetMimeType: target.mimeType }),
    },
  }
}
