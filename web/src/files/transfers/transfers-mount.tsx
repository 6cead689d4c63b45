import { lazy, Suspense, useState } from 'react'
import { useRoute } from 'wouter'

const TransferDock = lazy(async () => {
  const { TransferDock } = await import('./transfer-dock.tsx')
  return { default: TransferDock }
})

/**
 * Mounted beside all pages, so that transfers stay visible. Loads its code when the file browser,
 * which starts them, is first opened.
 */
export function TransfersMount() {
  const [isInFiles] = useRoute('/files/*?')
  const [isInTrash] = useRoute('/trash')
  const [isNeeded, setIsNeeded] = useState(false)
  if ((isInFiles || isInTrash) && !isNeeded) setIsNeeded(true)
  if (!isNeeded) return null
  return (
    <Suspense fallback={null}>
      <TransferDock />
    </Suspense>
  )
}
