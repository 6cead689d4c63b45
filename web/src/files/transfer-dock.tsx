import { ActionIcon, VisuallyHidden } from '@mantine/core'
import { IconChevronDown, IconChevronUp, IconX } from '@tabler/icons-react'
import { useState, useSyncExternalStore } from 'react'
import { JobRow } from './job-row.tsx'
import classes from './transfer-dock.module.css'
import { announcement, dockTitle } from './transfer-text.ts'
import { isTransferring, jobs, uploads } from './transfers.ts'
import { UploadAsker } from './upload-asker.tsx'
import { UploadList } from './upload-list.tsx'
import { UploadSummary } from './upload-summary.tsx'

/** What goes on in the background, on every page. Nothing while nothing does. */
export function TransferDock() {
  const queue = useSyncExternalStore(uploads.subscribe, uploads.snapshot)
  const jobList = useSyncExternalStore(jobs.subscribe, jobs.snapshot)
  // On small screens it would cover the list.
  const [isOpen, setIsOpen] = useState(() => window.innerWidth > 640)
  const isEmpty = queue.items.length === 0 && jobList.length === 0
  const title = dockTitle(queue, jobList)
  return (
    <>
      <VisuallyHidden role="status">{announcement(queue, jobList)}</VisuallyHidden>
      <UploadAsker />
      {!isEmpty && (
        <section className={classes.dock} aria-label="Transfers">
          <div className={classes.head}>
            <h2 className={classes.title}>{title}</h2>
            <ActionIcon
              variant="subtle"
              color="gray"
              aria-expanded={isOpen}
              aria-label={isOpen ? 'Fold the transfers' : 'Unfold the transfers'}
              onClick={() => setIsOpen(!isOpen)}
            >
              {isOpen ? <IconChevronDown size={18} /> : <IconChevronUp size={18} />}
            </ActionIcon>
            {!isTransferring() && (
              <ActionIcon
                variant="subtle"
                color="gray"
                aria-label="Close the transfers"
                onClick={closeAll}
              >
                <IconX size={18} />
              </ActionIcon>
            )}
          </div>
          {queue.items.length > 0 && <UploadSummary queue={queue} />}
          {isOpen && (
            <div className={classes.body}>
              {jobList.map((job) => (
                <JobRow key={job.id} job={job} />
              ))}
              {queue.items.length > 0 && <UploadList items={queue.items} />}
            </div>
          )}
        </section>
      )}
    </>
  )
}

function closeAll(): void {
  uploads.cancelAll()
  uploads.clearDone()
  for (const { id } of jobs.snapshot()) jobs.dismiss(id)
}
