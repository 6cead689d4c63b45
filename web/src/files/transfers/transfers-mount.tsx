import { lazy, Suspense, useSyncExternalStore } from 'react'

const TransferDock = lazy(async () => {
  const { TransferDock } = await import('./transfer-dock.tsx')
  return { default: TransferDock }
})

let isNeeded = false
const listeners = new Set<() => void>()

/** Called once the file browser is open: transfers may run from now on. */
export function expectTransfers(): void {
  isNeeded = true
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/**
 * Mounted around all pages, so that transfers stay visible. Loads its code with the first transfer.
 */
export function TransfersMount() {
  const isShown = useSyncExternalStore(subscribe, () => isNeeded)
  if (!isShown) return null
  return (
    <Suspense fallback={null}>
      <TransferDock />
    </Suspense>
  )
}
