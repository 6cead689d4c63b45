import type { Drive, ObjectMetadata, ObjectName, WriteConditions } from '../../drives/drive.ts'
import { DriveError } from '../../drives/drive-error.ts'
import { nullVersionId } from '../../drives/versions.ts'

type MovingDrive = Pick<Drive, 'head' | 'open' | 'copy' | 'draft' | 'remove'>

/** Attempts while other clients write the object. */
const attempts = 3

interface MoveOptions {
  readonly signal: AbortSignal
  readonly mayReplace: boolean
  /** As in RemovalConditions. Also called before each attempt. */
  readonly assertMayGoOn: () => void
}

/** `taken`: there is another object at the target. `changed`: the source was replaced at each attempt. */
export type MoveOutcome = 'moved' | 'absent' | 'taken' | 'changed'

/**
 * Moves an object with its attributes: copies it, and removes the source if it is still the same. If the process is
 * killed in between, the object is complete in both places, and the next call finishes the move. Overwrites nothing
 * except an earlier copy that such a call has left.
 *
 * @throws DriveError; the signal's reason; and as `assertMayGoOn`
 */
export async function moveObject(
  drive: MovingDrive,
  from: ObjectName,
  to: ObjectName,
  { signal, mayReplace, assertMayGoOn }: MoveOptions,
): Promise<MoveOutcome> {
  for (let attempt = 1; attempt <= attempts; attempt += 1) {
    assertMayGoOn()
    const source = await drive.head(from.bucket, from.key)
    if (source === undefined) return 'absent'
    try {
      await copyTo(drive, { from, to, source, signal, mayReplace })
      const { attributes, modifiedAtMs: ifModifiedAtMs } = source
      const same = { ifMatch: [attributes.etag], ifModifiedAtMs }
      await drive.remove(from.bucket, from.key, { ...same, assertMayGoOn })
      return 'moved'
    } catch (error) {
      if (error === taken) return 'taken'
      if (!(error instanceof DriveError) || !meanwhile.has(error.kind)) throw error
    }
  }
  return 'changed'
}

const taken = new Error('there is another object at the target')
const meanwhile: ReadonlySet<string> = new Set(['condition', 'not-found', 'changed'])

interface Copying {
  readonly from: ObjectName
  readonly to: ObjectName
  readonly source: ObjectMetadata
  readonly signal: AbortSignal
  readonly mayReplace: boolean
}

async function copyTo(drive: MovingDrive, copying: Copying): Promise<void> {
  const { from, to, source, signal, mayReplace } = copying
  const conditions: WriteConditions | undefined = mayReplace ? undefined : { ifNoneMatch: '*' }
  const { attributes, versionId = nullVersionId } = source
  // The removal of a version with an ID keeps it as a former version.
  const isMove = versionId === nullVersionId
  const options = {
    attributes,
    signal,
    ...(isMove && { isMove }),
    ...(conditions && { conditions }),
  }
  try {
    const copy = await drive.copy?.({ ...from, etag: attributes.etag }, to, options)
    if (copy === undefined) await copyBytes(drive, copying, conditions)
  } catch (error) {
    if (!(error instanceof DriveError) || error.kind !== 'condition') throw error
    const there = await drive.head(to.bucket, to.key)
    if (!isSame(there, source)) throw taken
  }
}

async function copyBytes(
  drive: MovingDrive,
  { from, to, source, signal }: Copying,
  conditions: WriteConditions | undefined,
): Promise<void> {
  const object = await drive.open(from.bucket, from.key)
  if (object === undefined) return
  try {
    // Otherwise the bytes of another version would get these attributes.
    if (!isSame(object, source)) throw new DriveError('changed', 'The object was replaced.')
    const { size, attributes } = source
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
