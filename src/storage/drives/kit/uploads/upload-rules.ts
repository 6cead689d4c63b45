/** What drafts and uploads of all drives have in common. */
import type { CompleteOptions, Draft, ObjectMetadata, PartDraft } from '../../drive.ts'
import { DriveError } from '../../drive-error.ts'

/**
 * Adds the rules for the end of a draft: it is discarded at most once, also when `publish` fails, and rejects `write` and
 * `publish` after its end.
 */
export function endingDraft(draft: Draft): Draft {
  const { write, end, discard } = ending(draft)
  return {
    write,
    publish: (attributes, conditions) => end(() => draft.publish(attributes, conditions)),
    discard,
  }
}

/** As `endingDraft`, for a part, which ends with `commit`. */
export function endingPart(part: PartDraft): PartDraft {
  const { write, end, discard } = ending(part)
  return { write, commit: () => end(() => part.commit()), discard }
}

function ending(draft: Pick<Draft, 'write' | 'discard'>) {
  let hasEnded = false
  const requireOpen = () => {
    if (hasEnded) throw new DriveError('changed', 'This draft has ended.')
  }
  const write = async (chunk: Uint8Array): Promise<void> => {
    requireOpen()
    await draft.write(chunk)
  }
  const discard = async (): Promise<void> => {
    if (hasEnded) return
    hasEnded = true
    await draft.discard()
  }
  const end = async <Result>(work: () => Promise<Result>): Promise<Result> => {
    requireOpen()
    try {
      const result = await work()
      hasEnded = true
      return result
    } finally {
      await discard()
    }
  }
  return { write, end, discard }
}

const idPattern = /^[\w-]{1,64}$/

/** IDs become file names, so no other characters are accepted. */
export function isUploadId(id: unknown): id is string {
  return typeof id === 'string' && idPattern.test(id)
}

/** @throws DriveError `upload-gone` */
export function requireUploadId(id: unknown): asserts id is string {
  if (!isUploadId(id)) throw foreignState()
}

/** The error for an upload whose bytes no longer exist. */
export function lostBytes(): DriveError {
  return new DriveError('upload-gone', 'The bytes of this upload are lost: start a new upload.')
}

/** @throws DriveError `upload-gone` if the upload became an object with other bytes */
export function requireSame(
  published: ObjectMetadata,
  { attributes, size }: Pick<CompleteOptions, 'attributes' | 'size'>,
): void {
  const isSame = published.attributes.etag === attributes.etag && published.size === size
  if (!isSame) throw alreadyPublished()
}

export function alreadyPublished(): DriveError {
  const message = 'This upload was completed with other parts. Start a new upload.'
  return new DriveError('upload-gone', message)
}

/** The error for the state of an upload that was started on another drive. */
export function foreignState(): DriveError {
  const message = 'The upload was started on another drive: start a new upload.'
  return new DriveError('upload-gone', message)
}
