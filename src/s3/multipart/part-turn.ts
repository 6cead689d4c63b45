import type { UploadRow } from '../../state/stores/uploads.ts'

/** How far ahead of the next part another may be to be held. */
export const maxPartsAhead = 64

export type PartTurn =
  /** It is the next part. */
  | 'append'
  /** It is the last committed part again, on a drive that can replace it. */
  | 'replace'
  /** It is committed: the only option is to compare the bytes. */
  | 'compare'
  /** Its turn may still come. */
  | 'wait'
  /** It is too far ahead to be held. */
  | 'far'
  /** The upload accepts no more parts. */
  | 'gone'

/** What may be done with a part of this number in the current state of the upload. */
export function turnOf(
  number: number,
  upload: Pick<UploadRow, 'phase' | 'partCount'>,
  canReplaceLast: boolean,
): PartTurn {
  if (upload.phase === 'completing') return 'wait'
  if (upload.phase !== 'open') return 'gone'
  const ahead = number - upload.partCount - 1
  if (ahead > maxPartsAhead) return 'far'
  if (ahead > 0) return 'wait'
  if (ahead === 0) return 'append'
  return ahead === -1 && canReplaceLast ? 'replace' : 'compare'
}
