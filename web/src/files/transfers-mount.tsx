import { lazy, Suspense, useSyncExternalStore } from 'react'

const TransferDock = lazy(async () => {
  const { TransferDock } = await import('./transfer-dock.tsx')
  return { default: TransferDock }
})

let isNeeded = false
const listeners = new Set<() => void>()

/** The file browser is there: from now on something may go on in the background. */
export function expectTransfers(): void {
  isNeeded = true
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** Around all pages, so that transfers stay in sight on every one. Loads nothing before the first. */
export function TransfersMount() {
  const isShown = useSyncExternalStore(subscribe, () => isNeeded)
  if (!isShown) return null
  return (
    <Suspense fallback={null}>
      <TransferDock />
    </Suspense>
  )
}
