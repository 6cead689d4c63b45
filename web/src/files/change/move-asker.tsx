import { useSyncExternalStore } from 'react'
import { moveQuestions } from '../transfers/transfers.ts'
import { clashDetails } from './clash-details.ts'
import { ClashDialog } from './clash-dialog.tsx'

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
