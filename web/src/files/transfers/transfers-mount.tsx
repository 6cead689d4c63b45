import { lazy, Suspense, useState } from 'react'
import { useRoute } from 'wouter'
import { useFileJobs } from '../../api/service-queries.ts'

const TransferDock = lazy(async () => {
  const { TransferDock } = await import('./transfer-dock.tsx')
  return { default: TransferDock }
})

/**
 * Mounted beside all pages, so that transfers stay visible. Loads its code when the file browser,
 * which starts them, is first opened, or while a job runs on the server.
 */
export function TransfersMount() {
  const [isInFiles] = useRoute('/files/*?')
  const [isInTrash] = useRoute('/trash')
  const [isNeeded, setIsNeeded] = useState(false)
  const isWorking = useFileJobs().data?.jobs.some(({ state }) => state === 'running') ?? false
  if ((isInFiles || isInTrash || isWorking) && !isNeeded) setIsNeeded(true)
  if (!isNeeded) return null
  return (
    <Suspense fallback={null}>
      <TransferDock />
    </Suspense>
  )
}
