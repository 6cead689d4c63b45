import type { Draft, PartDraft } from '../../drive.ts'
import { DriveError } from '../../drive-error.ts'

/**
 * The draft with the rules for its end: it is discarded when `publish` fails, at most once, and
 * rejects `write` and `publish` after its end.
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
