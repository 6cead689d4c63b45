import { useSyncExternalStore } from 'react'
import { formatBytes } from '../../format/bytes.ts'
import type { FileEntry } from '../entries/entry.ts'
import { formatModified } from '../entries/modified-time.ts'
import { moveQuestions } from '../transfers/transfers.ts'
import { ClashDialog } from './clash-dialog.tsx'
import type { MoveClash } from './move-tree.ts'

/** Asks about the name conflicts of a move. */
export function MoveAsker() {
  const question = useSyncExternalStore(moveQuestions.subscribe, moveQuestions.snapshot)
  if (question === undefined) return null
  const { clashes, answer } = question
  return (
    <ClashDialog
      clashes={clashes.map((clash) => ({ key: clash.target.key, details: clashDetails(clash) }))}
      onAnswer={answer}
      onClose={() => answer('skip')}
    />
  )
}

/** Size and date of both files, for comparison. */
function clashDetails({ file, there }: Pick<MoveClash, 'file' | 'there'>): string[] {
  return [`Existing: ${factsOf(there)}`, `Moved: ${factsOf(file)}`]
}

function factsOf({ size, modifiedAtMs }: Pick<FileEntry, 'size' | 'modifiedAtMs'>): string {
  return [formatBytes(size), formatModified(modifiedAtMs)].filter(Boolean).join(', ')
}
