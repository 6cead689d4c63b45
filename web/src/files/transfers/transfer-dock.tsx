import { Button, Group, Progress, VisuallyHidden } from '@mantine/core'
import { IconChevronDown, IconChevronUp, IconX } from '@tabler/icons-react'
import {
  type RefObject,
  useCallback,
  useEffect,
  useMemo,
  useRef,
  useState,
  useSyncExternalStore,
} from 'react'
import { useFileJobs } from '../../api/service-queries.ts'
import { transfersTexts } from '../../texts/transfers.ts'
import { IconButton } from '../../ui/icon-button.tsx'
import { LeftoverRow } from '../upload/leftover-row.tsx'
import { UploadBatches } from '../upload/upload-batches.tsx'
import { UploadList } from '../upload/upload-list.tsx'
import type { UploadQueueState } from '../upload/upload-queue.ts'
import { UploadSummary } from '../upload/upload-summary.tsx'
import { unfinished } from '../upload/upload-totals.ts'
import type { Job } from './job-list.ts'
import { JobRow } from './job-row.tsx'
import { showServerJobs } from './server-job.ts'
import { TransferDialogs } from './transfer-dialogs.tsx'
import classes from './transfer-dock.module.css'
import { announcement, dockTitle, percent } from './transfer-text.ts'
import { isTransferring, jobs, leftovers, uploads } from './transfers.ts'

/** Background transfers, shown on every page; hidden if there are none. */
export function TransferDock() {
  const { data: onServer } = useFileJobs()
  useEffect(() => showServerJobs(onServer?.jobs ?? []), [onServer])
  const queue = useSyncExternalStore(uploads.subscribe, uploads.snapshot)
  const jobList = useSyncExternalStore(jobs.subscribe, jobs.snapshot)
  const left = useSyncExternalStore(leftovers.subscribe, leftovers.snapshot)
  // Collapsed on small screens, where it would cover the list.
  const [isOpen, setIsOpen] = useState(isWide)
  const { shownJobs, hide } = useShownJobs(jobList)
  const isIdle = queue.items.length === 0 && shownJobs.length === 0
  const isEmpty = isIdle && left.length === 0
  const canUndo = shownJobs.some(({ undo }) => undo !== undefined)
  const title = isIdle
    ? transfersTexts.interrupted(left.length)
    : dockTitle(queue, shownJobs, isOpen)
  const dock = useRef<HTMLDivElement>(null)
  const isAtRest = isAllDone(queue, shownJobs, left.length)
  const isFolded = isAtRest && shownJobs.length === 0
  useEffect(() => setIsOpen(!isFolded && isWide()), [isFolded])
  useLeave(dock, isAtRest && !isEmpty, hide)
  return (
    <>
      <VisuallyHidden role="status">{announcement(queue, jobList)}</VisuallyHidden>
      <TransferDialogs />
      {!isEmpty && (
        <div ref={dock} className={classes.dock} data-transfers>
          <section className={classes.panel} aria-label={transfersTexts.title}>
            <Group flex="none" gap={4} wrap="nowrap" p="8px 8px 6px 14px">
              <h2 className={classes.title} title={title}>
                {title}
              </h2>
              {!isOpen && canUndo && (
                <Button size="compact-xs" variant="default" onClick={() => jobs.undo()}>
                  {transfersTexts.undo}
                </Button>
              )}
              <IconButton
                label={isOpen ? transfersTexts.collapse : transfersTexts.expand}
                aria-expanded={isOpen}
                onClick={() => setIsOpen(!isOpen)}
              >
                {isOpen ? <IconChevronDown size={18} /> : <IconChevronUp size={18} />}
              </IconButton>
              {!isTransferring() && (
                <IconButton label={transfersTexts.close} onClick={closeAll}>
                  <IconX size={18} />
                </IconButton>
              )}
            </Group>
            {isOpen && queue.items.length > 0 && <UploadSummary queue={queue} />}
            {!isOpen && <Line queue={queue} />}
            {isOpen && (
              <div className={classes.body}>
                {shownJobs.map((job) => (
                  <JobRow key={job.id} job={job} />
                ))}
                {left.map((record) => (
                  <LeftoverRow key={record.uploadId} record={record} />
                ))}
                <UploadBatches items={queue.items} />
                {queue.items.length > 0 && <UploadList items={queue.items} />}
              </div>
            )}
          </section>
        </div>
      )}
    </>
  )
}

function isWide(): boolean {
  return window.innerWidth > 640
}

/** The progress of the uploads, when the rest is folded. */
function Line({ queue: { totals } }: { readonly queue: UploadQueueState }) {
  if (unfinished(totals) === 0) return null
  const value = percent(totals.sentBytes, totals.totalBytes)
  return <Progress size={3} radius={0} value={value} aria-label={transfersTexts.all} />
}

/** Whether everything has succeeded: nothing runs, waits or needs a decision. */
function isAllDone(
  { totals }: UploadQueueState,
  jobList: readonly Job[],
  leftoverCount: number,
): boolean {
  const isDone = ({ state, problemCount }: Job) => state === 'done' && problemCount === 0
  const isUploaded = unfinished(totals) === 0 && totals.counts.failed === 0
  return isUploaded && jobList.every(isDone) && leftoverCount === 0
}

/** The jobs that have not left yet. Those that have left can still be undone with Ctrl + Z. */
function useShownJobs(jobList: readonly Job[]) {
  const [lastLeft, setLastLeft] = useState(0)
  const shownJobs = useMemo(() => jobList.filter(({ id }) => id > lastLeft), [jobList, lastLeft])
  const hide = useCallback(() => {
    uploads.clearDone()
    setLastLeft(Math.max(0, ...jobs.snapshot().map(({ id }) => id)))
  }, [])
  return { shownJobs, hide }
}

/** How long a success is shown. */
const leaveAfterMs = 6_000

/** Calls `hide` after a success, unless the pointer or the focus is in the transfers. */
function useLeave(dock: RefObject<HTMLElement | null>, isDue: boolean, hide: () => void): void {
  useEffect(() => {
    if (!isDue) return
    const timer = setInterval(() => {
      if (dock.current?.matches(':hover, :focus-within') !== true) hide()
    }, leaveAfterMs)
    return () => clearInterval(timer)
  }, [dock, isDue, hide])
}

function closeAll(): void {
  uploads.cancelAll()
  uploads.clearDone()
  leftovers.hide()
  for (const { id } of jobs.snapshot()) jobs.dismiss(id)
}
