import { randomBytes } from 'node:crypto'
import { type Account, usedBytes } from './account.ts'
import { supportsAllDrives } from './call.ts'
import type { Content } from './content-store.ts'
import { checkRoom } from './drive-limits.ts'
import { type FileMetadata, patchProperties } from './file-metadata.ts'
import {
  type FileRecord,
  folderMimeType,
  isFolder,
  isGoogleType,
  type Owner,
  type Revision,
  shortcutMimeType,
} from './file-record.ts'
import { fileNotFound, GoogleError, invalidValue } from './google-error.ts'

const maxRevisions = 100
const serviceQuotaMessage =
  'Service Accounts do not have storage quota. Leverage shared drives, or use OAuth delegation instead.'

/** Members whose change sets the modification time. */
const touchingMembers = ['name', 'description', 'appProperties', 'properties'] as const

/** New bytes of a file. */
export interface Media {
  readonly content: Content
  readonly mimeType?: string
}

/** The caller and the parameters. */
interface Request {
  readonly query: URLSearchParams
  readonly caller: Owner
}

export interface FileChange extends Request {
  readonly metadata: FileMetadata
  readonly media?: Media
}

/** The file of a call. @throws GoogleError 404 if the caller can't see it. */
export function findFile({ files }: Account, id: string, query: URLSearchParams): FileRecord {
  const record = files.get(id)
  if (record === undefined) throw fileNotFound(id)
  if (record.driveId !== undefined && !supportsAllDrives(query)) throw fileNotFound(id)
  return record
}

/** Validates a new file before its bytes arrive. Returns its folder. */
export function checkNewFile(account: Account, { metadata, query }: FileChange): FileRecord {
  const { files } = account
  const { id, mimeType } = metadata
  if (id !== undefined) {
    if (files.isTaken(id)) throw new GoogleError('fileIdInUse')
    // Of Google's own types, only folders can have a given id.
    if (!files.isGenerated(id) || mimeType === shortcutMimeType) {
      throw invalidValue('file.id', 'The provided file ID is not usable.')
    }
    if (isGoogleType(mimeType ?? '') && mimeType !== folderMimeType) {
      throw new GoogleError('generatedIdNotSupported')
    }
  }
  const parent = findFile(account, metadata.parents?.[0] ?? 'root', query)
  if (!isFolder(parent)) throw new GoogleError('parentNotAFolder')
  checkRoom(account, parent, { id: '', mimeType: mimeType ?? '' })
  return parent
}

export function createFile(account: Account, change: FileChange): FileRecord {
  const { metadata, media } = change
  const parent = checkNewFile(account, change)
  const mimeType = metadata.mimeType ?? media?.mimeType ?? 'application/octet-stream'
  const content = isGoogleType(mimeType) ? undefined : (media?.content ?? emptyContent)
  if (content !== undefined) {
    const { caller: owner } = change
    checkQuota(account, { bytes: content.size, driveId: parent.driveId, owner })
  }
  const blank = account.files.blank({
    id: metadata.id ?? account.files.newId(),
    name: metadata.name ?? 'Untitled',
    mimeType,
  })
  const placed: FileRecord = {
    ...blank,
    parent: parent.id,
    owner: change.caller,
    driveId: parent.driveId,
    ...described(blank, metadata),
  }
  return account.files.put(content === undefined ? placed : withContent(placed, content))
}

export function updateFile(account: Account, id: string, change: FileChange): FileRecord {
  const { metadata, media, query } = change
  const before = findFile(account, id, query)
  const place = placeAfter(account, before, query)
  const nowMs = account.clock.nowMs()
  const isTouched = media !== undefined || touchingMembers.some((name) => name in metadata)
  const touchedAtMs = isTouched ? nowMs : before.modifiedAtMs
  const after: FileRecord = {
    ...before,
    ...place,
    modifiedAtMs: touchedAtMs,
    ...described(before, metadata),
  }
  if (metadata.isTrashed !== undefined && before.parent === undefined) {
    throw new GoogleError('insufficientFilePermissions')
  }
  if (media === undefined) return account.files.put(after)
  if (isGoogleType(before.mimeType)) throw new GoogleError('badRequest')
  const bytes = media.content.size - (before.content?.size ?? 0)
  checkQuota(account, { bytes, driveId: before.driveId, owner: before.owner })
  // The type belongs to the bytes: without new bytes, it stays, regardless of the metadata.
  const mimeType = metadata.mimeType ?? media.mimeType ?? before.mimeType
  return account.files.put(withContent({ ...after, mimeType }, media.content))
}

export function copyFile(account: Account, id: string, change: FileChange): FileRecord {
  const { metadata, query } = change
  const source = findFile(account, id, query)
  if (isFolder(source)) throw new GoogleError('cannotCopyFile')
  const isCopied = account.knobs.copiesProperties
  const target: FileMetadata = {
    mimeType: source.mimeType,
    name: `Copy of ${source.name}`,
    ...(source.parent === undefined ? {} : { parents: [source.parent] }),
    ...metadata,
    appProperties: { ...(isCopied ? source.appProperties : {}), ...metadata.appProperties },
    properties: { ...(isCopied ? source.properties : {}), ...metadata.properties },
  }
  const media = source.content === undefined ? {} : { media: { content: source.content } }
  return createFile(account, { ...change, ...media, metadata: target })
}

/** @throws GoogleError for a root, which can't be deleted. */
export function deleteFile(account: Account, id: string, query: URLSearchParams): void {
  const record = findFile(account, id, query)
  if (record.parent === undefined) throw new GoogleError('insufficientFilePermissions')
  account.files.remove(record.id)
}

/** The record with new bytes as its newest revision. */
export function withContent(record: FileRecord, content: Content): FileRecord {
  const id = `0B${randomBytes(24).toString('base64url')}`
  const { mimeType, modifiedAtMs } = record
  const revision: Revision = { id, content, mimeType, modifiedAtMs }
  const purgeable = record.revisions.filter((one) => one.isKept !== true)
  const purged = new Set(purgeable.slice(0, Math.max(0, purgeable.length + 1 - maxRevisions)))
  const revisions = [...record.revisions.filter((one) => !purged.has(one)), revision]
  return { ...record, content, headRevisionId: id, revisions }
}

const emptyContent: Content = {
  size: 0,
  md5: 'd41d8cd98f00b204e9800998ecf8427e',
  bytes: Buffer.alloc(0),
}

/** The record with the changes of the metadata, except its folder and type. */
function described(before: FileRecord, metadata: FileMetadata): Partial<FileRecord> {
  const { appProperties, properties, parents, id, mimeType, ...simple } = metadata
  return {
    ...simple,
    appProperties: patchProperties(before.appProperties, appProperties),
    properties: patchProperties(before.properties, properties),
  }
}

function placeAfter(
  account: Account,
  before: FileRecord,
  query: URLSearchParams,
): Pick<FileRecord, 'parent' | 'driveId'> {
  const added = idsOf(query, 'addParents').map((id) => findFile(account, id, query))
  const removed = idsOf(query, 'removeParents').map((id) => account.files.get(id)?.id)
  const [folder, ...more] = added
  if (folder === undefined) {
    if (removed.includes(before.parent)) throw new GoogleError('badRequest')
    return {}
  }
  if (!isFolder(folder)) throw new GoogleError('parentNotAFolder')
  const isMove = removed.includes(before.parent) || folder.id === before.parent
  if (more.length > 0 || !isMove) throw new GoogleError('cannotAddParent')
  if (isWithin(account, folder, before.id)) {
    throw new GoogleError('badRequest', { message: 'A folder cannot be moved into itself.' })
  }
  if (isFolder(before) && folder.driveId !== undefined && folder.driveId !== before.driveId) {
    throw new GoogleError('teamDrivesFolderMoveInNotSupported')
  }
  if (folder.id !== before.parent) checkRoom(account, folder, before)
  return { parent: folder.id, driveId: folder.driveId }
}

function isWithin({ files }: Account, folder: FileRecord, id: string): boolean {
  for (let at: FileRecord | undefined = folder; at !== undefined; ) {
    if (at.id === id) return true
    at = at.parent === undefined ? undefined : files.get(at.parent)
  }
  return false
}

function idsOf(query: URLSearchParams, name: string): string[] {
  return (query.get(name) ?? '').split(',').filter((id) => id !== '')
}

/** @throws GoogleError if the owner's quota has no space for these bytes. */
function checkQuota(
  account: Account,
  { bytes, driveId, owner }: { bytes: number; driveId: string | undefined; owner: Owner },
): void {
  if (driveId !== undefined) return
  if (owner === 'service') {
    throw new GoogleError('storageQuotaExceeded', { message: serviceQuotaMessage })
  }
  const limit = account.knobs.limitBytes ?? Number.POSITIVE_INFINITY
  if (bytes > 0 && usedBytes(account) + bytes > limit) {
    throw new GoogleError('storageQuotaExceeded')
  }
}
