import { Button, Group, VisuallyHidden } from '@mantine/core'
import { IconChevronDown, IconChevronUp, IconX } from '@tabler/icons-react'
import { type RefObject, useEffect, useRef, useState, useSyncExternalStore } from 'react'
import { useFileJobs } from '../../api/service-queries.ts'
import { formatAmount } from '../../format/bytes.ts'
import { IconButton } from '../../ui/icon-button.tsx'
import { ClashDialog } from '../change/clash-dialog.tsx'
import { LeftoverRow } from '../upload/leftover-row.tsx'
import { ReadingDialog } from '../upload/reading-dialog.tsx'
import { UploadList } from '../upload/upload-list.tsx'
import { UploadSummary } from '../upload/upload-summary.tsx'
import { JobRow } from './job-row.tsx'
import { showServerJobs } from './server-job.ts'
import classes from './transfer-dock.module.css'
import { announcement, dockTitle } from './transfer-text.ts'
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
  const isIdle = queue.items.length === 0 && jobList.length === 0
  const isEmpty = isIdle && left.length === 0
  const canUndo = jobList.some(({ undo }) => undo !== undefined)
  const title = isIdle
    ? `${formatAmount(left.length, 'upload')} interrupted`
    : dockTitle(queue, jobList)
  const dock = useRef<HTMLDivElement>(null)
  // Uploads that need a decision and the results of jobs stay visible.
  const { done, failed } = queue.totals.counts
  const isAtRest = done > 0 && failed === 0 && jobList.length === 0 && !isTransferring()
  useEffect(() => setIsOpen(!isAtRest && isWide()), [isAtRest])
  useRoomBelow(dock, isEmpty)
  return (
    <>
      <VisuallyHidden role="status">{announcement(queue, jobList)}</VisuallyHidden>
      <ReadingDialog />
      <ClashDialog />
      {!isEmpty && (
        <div ref={dock} className={classes.dock}>
          <section className={classes.panel} aria-label="Transfers">
            <Group flex="none" gap={4} wrap="nowrap" p="8px 8px 6px 14px">
              <h2 className={classes.title}>{title}</h2>
              {!isOpen && canUndo && (
                <Button size="compact-xs" variant="default" onClick={() => jobs.undo()}>
                  Undo
                </Button>
              )}
              <IconButton
                label={isOpen ? 'Collapse transfers' : 'Expand transfers'}
                aria-expanded={isOpen}
                onClick={() => setIsOpen(!isOpen)}
              >
                {isOpen ? <IconChevronDown size={18} /> : <IconChevronUp size={18} />}
              </IconButton>
              {!isTransferring() && (
                <IconButton label="Close transfers" onClick={closeAll}>
                  <IconX size={18} />
                </IconButton>
              )}
            </Group>
            {queue.items.length > 0 && <UploadSummary queue={queue} />}
            {isOpen && (
              <div className={classes.body}>
                {jobList.map((job) => (
                  <JobRow key={job.id} job={job} />
                ))}
                {left.map((record) => (
                  <LeftoverRow key={record.uploadId} record={record} />
                ))}
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

/** Publishes the height of the transfers for full-height pages. */
function useRoomBelow(dock: RefObject<HTMLElement | null>, isEmpty: boolean): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: the element exists only while there are contents
  useEffect(() => {
    const { style } = document.documentElement
    const element = dock.current
    if (element === null) return
    const observer = new ResizeObserver(() => {
      style.setProperty('--transfers-height', `${element.offsetHeight}px`)
    })
    observer.observe(element)
    return () => {
      observer.disconnect()
      style.removeProperty('--transfers-height')
    }
  }, [dock, isEmpty])
}

function closeAll(): void {
  uploads.cancelAll()
  uploads.clearDone()
  leftovers.hide()
  for (const { id } of jobs.snapshot()) jobs.dismiss(id)
}
