import { lazy, Suspense, useState } from 'react'
import { useRoute } from 'wouter'
import { useFileJobs } from '../../api/service-queries.ts'
import { shownJobs } from './shown-jobs.ts'

const TransferDock = lazy(async () => {
  const { TransferDock } = await import('./transfer-dock.tsx')
  return { default: TransferDock }
})

/**
 * Mounted beside all pages, so that transfers stay visible. Loads its code when the file browser,
 * which starts them, is first opened, while a job runs on the server, or if this tab has shown one before it was loaded.
 */
export function TransfersMount() {
  const [isInFiles] = useRoute('/files/*?')
  const [isInTrash] = useRoute('/trash')
  const [isNeeded, setIsNeeded] = useState(() => shownJobs().length > 0)
  const isWorking = useFileJobs().data?.jobs.some(({ state }) => state === 'running') ?? false
  if ((isInFiles || isInTrash || isWorking) && !isNeeded) setIsNeeded(true)
  if (!isNeeded) return null
  return (
    <Suspense fallback={null}>
      <TransferDock />
    </Suspense>
  )
}
