import { Badge, Loader } from '@mantine/core'
import { IconX } from '@tabler/icons-react'
import type { FileJobReply } from '../../../../src/dashboard/management/files/file-job-schemas.ts'
import { useFileJobs } from '../../api/service-queries.ts'
import { outcomeText, titleOf } from '../../files/transfers/file-job-text.ts'
import { activityTexts } from '../../texts/activity.ts'
import { Rich } from '../../texts/rich.tsx'
import { Age } from '../../ui/age.tsx'
import { IconButton } from '../../ui/icon-button.tsx'
import { Row, RowList } from '../../ui/row-list.tsx'
import { Section } from '../../ui/section.tsx'
import { useAction } from '../../ui/use-action.ts'

const shown = 8

const states = {
  running: { label: activityTexts.jobs.states.running, color: 'cyan' },
  done: { label: activityTexts.jobs.states.done, color: 'teal' },
  cancelled: { label: activityTexts.jobs.states.cancelled, color: 'gray' },
  failed: { label: activityTexts.jobs.states.failed, color: 'red' },
} as const satisfies Record<FileJobReply['state'], object>

/** Moves, copies, deletions and restores that are running or ended in the last day. Renders nothing if there are none. */
export function FileJobsSection() {
  const { data } = useFileJobs()
  if (data === undefined || data.jobs.length === 0) return null
  return (
    <Section title={activityTexts.jobs.title}>
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
          {outcomeText(job)}{' '}
          <Rich text={activityTexts.jobs.started} marks={{ age: () => <Age at={startedAt} /> }} />
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
    failure: activityTexts.jobs.stopFailure,
    refreshes: 'file-jobs',
  })
  return (
    <IconButton
      label={activityTexts.jobs.stop(titleOf(job))}
      loading={isPending}
      onClick={() => mutate()}
    >
      <IconX size={16} />
    </IconButton>
  )
}
