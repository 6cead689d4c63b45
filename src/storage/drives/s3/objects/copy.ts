import { type CompletedPart, CopyObjectCommand, UploadPartCopyCommand } from '@aws-sdk/client-s3'
import type { CopyOptions, CopySource, ObjectMetadata, ObjectName } from '../../drive.ts'
import { changedSource } from '../../drive-error.ts'
import { metadataOf } from '../../kit/open-objects.ts'
import type { StoreContext } from '../probe/probe.ts'
import { longCallMs, secondOf } from '../requests/store.ts'
import { copySource } from '../requests/store-names.ts'
import type { BegunUploads } from '../uploads/begun-uploads.ts'
import type { StoreUpload } from '../uploads/upload-requests.ts'
import { requireLocks } from './bucket-versions.ts'
import { conditionalWrite, isConditionFailure, newMark } from './conditional-write.ts'
import { headOf, versionIn, versionNameOf } from './heads.ts'
import { areLocked, fieldsOf, writtenAttributes } from './object-fields.ts'

/** The maximum size for CopyObject (API reference). */
const maxCopyBytes = 5 * 1024 ** 3
const copyPartBytes = 1024 ** 3

interface Copying {
  readonly source: CopySource
  readonly target: ObjectName
  readonly options: CopyOptions
  readonly size: number
}

export interface CopyContext extends StoreContext {
  readonly begun: BegunUploads
  /** Larger objects are copied in parts. @default 5 GiB */
  readonly maxCopyBytes?: number
}

/** As Drive.copy, in the store. Undefined also if the store lacks a condition that the copy needs. */
export async function copyObject(
  context: CopyContext,
  source: CopySource,
  target: ObjectName,
  options: CopyOptions,
): Promise<ObjectMetadata | undefined> {
  const found = await headOf(context, source)
  if (found === undefined || found.isDeleteMarker) return undefined
  if (found.attributes.etag !== source.etag) throw changedSource(source)
  const { versionId = source.versionId } = found
  const copying = { source: { ...source, versionId }, target, options, size: found.size }
  if (areLocked(options.attributes)) await requireLocks(context, target.bucket)
  const abilities = await context.probe.abilities(target.bucket)
  await context.probe.requireTags(target.bucket, options.attributes.tags)
  const isInParts = found.size > (context.maxCopyBytes ?? maxCopyBytes)
  if (isInParts) return abilities.copyPart ? await copyInParts(context, copying) : undefined
  if (!abilities.copy) return undefined
  const { ifMatch, ifNoneMatch } = options.conditions ?? {}
  const isConditional = ifMatch !== undefined || ifNoneMatch !== undefined
  if (isConditional && !(abilities.createCopy && abilities.replaceCopy)) return undefined
  return await copyAtOnce(context, copying)
}

async function copyAtOnce(
  context: StoreContext,
  { source, target, options, size }: Copying,
): Promise<ObjectMetadata> {
  const { store, names } = context
  const { attributes, conditions, signal } = options
  const mark = newMark()
  return await conditionalWrite<ObjectMetadata>(context, {
    ...{ target, conditions },
    needs: { create: 'createCopy', replace: 'replaceCopy' },
    resultOf: (found) => (found?.mark === mark ? metadataOf(found) : undefined),
    async send(native) {
      const command = new CopyObjectCommand({
        ...names.nameOf(target),
        ...fieldsOf(attributes, mark),
        ...native,
        CopySource: copySource(versionNameOf(context, source) ?? names.nameOf(source)),
        CopySourceIfMatch: `"${source.etag}"`,
        MetadataDirective: 'REPLACE',
        TaggingDirective: 'REPLACE',
      })
      const { CopyObjectResult: made = {}, VersionId } = await store
        .send(command, { signal, limitMs: longCallMs })
        .catch((error) => unlessChanged(context, source, error, mark))
      const version = versionIn(context, target.bucket, VersionId)
      const modifiedAtMs = secondOf(made.LastModified)
      return { size, modifiedAtMs, ...version, attributes: writtenAttributes(attributes, made) }
    },
  })
}

/**
 * Tells which condition failed: those of the source and of the target have the same code.
 *
 * @param mark of this write, whose reply may have been lost if the source is also the target
 */
async function unlessChanged(
  context: StoreContext,
  source: CopySource,
  error: unknown,
  mark?: string,
): Promise<never> {
  if (!isConditionFailure(error)) throw error
  const current = await headOf(context, source).catch(() => {
    throw error
  })
  const isOurs = mark !== undefined && current?.mark === mark
  throw isOurs || current?.attributes.etag === source.etag ? error : changedSource(source)
}

async function copyInParts(context: CopyContext, copying: Copying): Promise<ObjectMetadata> {
  const { target, options } = copying
  const { attributes, conditions } = options
  const upload = await context.begun.begin({ target, mark: newMark(), attributes })
  try {
    const parts = await copyParts(context, upload, copying)
    const published = await context.begun.complete(upload, { parts, conditions })
    return published ?? { size: copying.size, modifiedAtMs: secondOf(new Date()), attributes }
  } catch (error) {
    await context.begun.discard(upload)
    throw error
  }
}

async function copyParts(
  context: CopyContext,
  { uploadId }: StoreUpload,
  { source, target, options, size }: Copying,
): Promise<CompletedPart[]> {
  const { store, names } = context
  const parts: CompletedPart[] = []
  for (let start = 0; start < size; start += copyPartBytes) {
    const number = parts.length + 1
    const end = Math.min(start + copyPartBytes, size)
    const command = new UploadPartCopyCommand({
      ...names.nameOf(target),
      ...{ UploadId: uploadId, PartNumber: number },
      CopySource: copySource(versionNameOf(context, source) ?? names.nameOf(source)),
      CopySourceIfMatch: `"${source.etag}"`,
      CopySourceRange: `bytes=${start}-${end - 1}`,
    })
    const copied = await store
      .send(command, { signal: options.signal, limitMs: longCallMs })
      .catch((error) => unlessChanged(context, source, error))
    parts.push({ PartNumber: number, ETag: copied.CopyPartResult?.ETag })
  }
  return parts
}
