import type { Attributes } from '../../drives/attributes.ts'
import type { Drive, ObjectMetadata, ObjectName, WriteConditions } from '../../drives/drive.ts'
import { DriveError } from '../../drives/drive-error.ts'
import { nullVersionId } from '../../drives/versions.ts'

type TransferDrive = Pick<Drive, 'head' | 'open' | 'copy' | 'draft' | 'remove'>

/** Attempts while other clients write the object. */
const attempts = 3

export interface TransferOptions {
  readonly signal: AbortSignal
  /** The object that may be at the target. */
  readonly mayReplace: { readonly etag: string } | undefined
  /** As in RemovalConditions. Also called before each attempt. */
  readonly assertMayGoOn: () => void
  /** Whether it is a copy. */
  readonly keepsSource?: boolean
  /** An object that was written after this time stays. */
  readonly untilMs?: number | undefined
  /** The attributes of the object at the target. Absent: those of the source. */
  readonly attributesOf?: (source: Attributes) => Promise<Attributes>
}

/**
 * `there`: the target had an equal object before a copy. `taken`: it has another one. `changed`: the source was replaced at
 * each attempt. `newer`: the source was written after `untilMs`.
 */
export type TransferOutcome = 'done' | 'there' | 'absent' | 'taken' | 'changed' | 'newer'

export type Transfer = () => Promise<TransferOutcome>

/**
 * Moves an object with its attributes: copies it, and removes the source if it is still the same. If the process is
 * killed in between, the object is complete in both places, and the next call finishes the move. Overwrites nothing
 * except what it may replace and an earlier copy that such a call has left.
 *
 * @throws DriveError; the signal's reason; and as `assertMayGoOn`
 */
export async function transferObject(
  drive: TransferDrive,
  from: ObjectName,
  to: ObjectName,
  options: TransferOptions,
): Promise<TransferOutcome> {
  const {
    signal,
    mayReplace,
    assertMayGoOn,
    keepsSource,
    untilMs = Infinity,
    attributesOf,
  } = options
  for (let attempt = 1; attempt <= attempts; attempt += 1) {
    assertMayGoOn()
    const source = await sourceOf(drive, from, untilMs)
    if (typeof source === 'string') return source
    const attributes = (await attributesOf?.(source.attributes)) ?? source.attributes
    const isMove = keepsSource !== true
    try {
      const copying = { from, to, source, signal, mayReplace, attributes, isMove }
      const outcome = await copyTo(drive, copying)
      if (!isMove) return outcome
      const ifMatch = [source.attributes.etag]
      const same = { ifMatch, ifModifiedAtMs: source.modifiedAtMs }
      await drive.remove(from.bucket, from.key, { ...same, assertMayGoOn })
      return 'done'
    } catch (error) {
      if (error === taken) return 'taken'
      if (!(error instanceof DriveError) || !meanwhile.has(error.kind)) throw error
    }
  }
  return 'changed'
}

async function sourceOf(drive: TransferDrive, { bucket, key }: ObjectName, untilMs: number) {
  const source = await drive.head(bucket, key)
  if (source === undefined) return 'absent'
  return source.modifiedAtMs > untilMs ? 'newer' : source
}

const taken = new Error('there is another object at the target')
const meanwhile: ReadonlySet<string> = new Set(['condition', 'not-found', 'changed'])

interface Copying extends Pick<TransferOptions, 'signal' | 'mayReplace'> {
  readonly from: ObjectName
  readonly to: ObjectName
  readonly source: ObjectMetadata
  readonly attributes: Attributes
  readonly isMove: boolean
}

async function copyTo(drive: TransferDrive, copying: Copying): Promise<'done' | 'there'> {
  const { from, to, source, signal, mayReplace, attributes } = copying
  // Before the bytes are copied for nothing.
  const there = await drive.head(to.bucket, to.key)
  if (isCopy(there, copying)) return 'there'
  if (there !== undefined && there.attributes.etag !== mayReplace?.etag) throw taken
  // The removal of a version with an ID keeps it as a former version.
  const isMove = copying.isMove && (source.versionId ?? nullVersionId) === nullVersionId
  const conditions: WriteConditions =
    there === undefined ? { ifNoneMatch: '*' } : { ifMatch: [there.attributes.etag] }
  const options = { attributes, signal, ...(isMove && { isMove }), conditions }
  try {
    const copy = await drive.copy?.({ ...from, etag: source.attributes.etag }, to, options)
    if (copy === undefined) await copyBytes(drive, copying, conditions)
  } catch (error) {
    const isTaken = error instanceof DriveError && error.kind === 'condition'
    if (!isTaken) throw error
    // An earlier call may have made it, whose reply was lost.
    if (!isCopy(await drive.head(to.bucket, to.key), copying)) throw taken
  }
  return 'done'
}

async function copyBytes(
  drive: TransferDrive,
  { from, to, source, signal, attributes }: Copying,
  conditions: WriteConditions,
): Promise<void> {
  const object = await drive.open(from.bucket, from.key)
  if (object === undefined) throw new DriveError('not-found', 'The object no longer exists.')
  try {
    // Otherwise the bytes of another version would get these attributes.
    if (!isSame(object, source)) throw new DriveError('changed', 'The object was replaced.')
    const { size } = source
    const draft = await drive.draft(to.bucket, to.key, {
      ...{ size, signal },
      announced: { attributes, conditions, checksum: attributes.checksum?.algorithm },
    })
    let isPublishing = false
    try {
      for await (const chunk of object.read(0, size)) await draft.write(chunk)
      isPublishing = true
      await draft.publish(attributes, conditions)
    } finally {
      if (!isPublishing) await draft.discard()
    }
  } finally {
    await object.close()
  }
}

/** Whether both have the same bytes and attributes. */
function isSame(one: ObjectMetadata | undefined, other: ObjectMetadata): boolean {
  return (
    one?.size === other.size && JSON.stringify(one.attributes) === JSON.stringify(other.attributes)
  )
}

/** Whether an object is what this transfer writes. A default retention depends on the time of the write. */
function isCopy(one: ObjectMetadata | undefined, { source, attributes }: Copying): boolean {
  if (one === undefined) return false
  return isSame(withoutLock(one), withoutLock({ ...source, attributes }))
}

function withoutLock(one: ObjectMetadata): ObjectMetadata {
  const { retention: _, legalHold: __, ...attributes } = one.attributes
  return { ...one, attributes }
}
