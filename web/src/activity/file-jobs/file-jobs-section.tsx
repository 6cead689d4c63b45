import { Badge, Loader } from '@mantine/core'
import { IconX } from '@tabler/icons-react'
import type { FileJobReply } from '../../../../src/dashboard/management/files/file-job-schemas.ts'
import { useFileJobs } from '../../api/service-queries.ts'
import { outcomeText, titleOf } from '../../files/transfers/file-job-text.ts'
import { Age } from '../../ui/age.tsx'
import { IconButton } from '../../ui/icon-button.tsx'
import { Row, RowList } from '../../ui/row-list.tsx'
import { Section } from '../../ui/section.tsx'
import { useAction } from '../../ui/use-action.ts'

const shown = 8

const states = {
  running: { label: 'running', color: 'cyan' },
  done: { label: 'done', color: 'teal' },
  cancelled: { label: 'stopped', color: 'gray' },
  failed: { label: 'failed', color: 'red' },
} as const satisfies Record<FileJobReply['state'], object>

/** Moves, copies, deletions and restores that are running or ended in the last day. Renders nothing if there are none. */
export function FileJobsSection() {
  const { data } = useFileJobs()
  if (data === undefined || data.jobs.length === 0) return null
  return (
    <Section title="File operations">
      <RowList>
        {data.jobs.slice(0, shown).map((job) => (
          <FileJobRow key={job.id} job={job} />
        ))}
      </RowList>
    </Section>
  )
}

function FileJobRow({ job }: { readonly job: FileJobReply }) {
  const { state, startedAt, message } = job
  const { label, color } = states[state]
  return (
    <Row
      title={titleOf(job)}
      detail={
        <>
          {outcomeText(job)} Started <Age at={startedAt} />
          {message !== null && <div>{message}</div>}
        </>
      }
      actions={
        <>
          {state === 'running' && <Loader size="xs" aria-hidden />}
          <Badge variant="light" color={color} tt="none">
            {label}
          </Badge>
          {state === 'running' && <StopButton job={job} />}
        </>
      }
    />
  )
}

function StopButton({ job }: { readonly job: FileJobReply }) {
  const { mutate, isPending } = useAction({
    method: 'DELETE',
    path: `/-/api/file-jobs/${job.id}`,
    failure: 'The operation could not be stopped',
    refreshes: 'file-jobs',
  })
  return (
    <IconButton label={`Stop: ${titleOf(job)}`} loading={isPending} onClick={() => mutate()}>
      <IconX size={16} />
    </IconButton>
  )
}
