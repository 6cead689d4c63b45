import { lazy, Suspense, useSyncExternalStore } from 'react'
import { clashQuestions, intake } from './transfers.ts'

const ReadingDialog = lazy(async () => {
  const { ReadingDialog } = await import('../upload/reading-dialog.tsx')
  return { default: ReadingDialog }
})
const ClashDialog = lazy(async () => {
  const { ClashDialog } = await import('../change/clash-dialog.tsx')
  return { default: ClashDialog }
})

/** Small drops are read before a dialog could be noticed. */
const shownFrom = 2_000

/** What transfers ask and show in dialogs, whose code is loaded with the first of them. */
export function TransferDialogs() {
  const found = useSyncExternalStore(intake.subscribe, intake.snapshot)
  const question = useSyncExternalStore(clashQuestions.subscribe, clashQuestions.snapshot)
  return (
    <Suspense fallback={null}>
      {found > shownFrom && <ReadingDialog found={found} />}
      {question !== undefined && <ClashDialog {...question} />}
    </Suspense>
  )
}
