import { Badge, Loader } from '@mantine/core'
import { IconX } from '@tabler/icons-react'
import type { DeletionReply } from '../../../../src/dashboard/management/management-schemas.ts'
import { useDeletions } from '../../api/service-queries.ts'
import { formatAmount } from '../../format/bytes.ts'
import { Age } from '../../ui/age.tsx'
import { IconButton } from '../../ui/icon-button.tsx'
import { Row, RowList } from '../../ui/row-list.tsx'
import { Section } from '../../ui/section.tsx'
import { useAction } from '../../ui/use-action.ts'

const shown = 8

const states = {
  running: { label: 'deleting', color: 'cyan' },
  done: { label: 'done', color: 'teal' },
  cancelled: { label: 'cancelled', color: 'gray' },
  failed: { label: 'failed', color: 'red' },
  interrupted: { label: 'interrupted', color: 'orange' },
} as const satisfies Record<DeletionReply['state'], object>

/** Folder deletions that are running or ended in the last day. Renders nothing if there are none. */
export function DeletionsSection() {
  const { data } = useDeletions()
  if (data === undefined || data.deletions.length === 0) return null
  return (
    <Section title="Folder deletions">
      <RowList>
        {data.deletions.slice(0, shown).map((deletion) => (
          <DeletionRow key={deletion.id} deletion={deletion} />
        ))}
      </RowList>
    </Section>
  )
}

function DeletionRow({ deletion }: { readonly deletion: DeletionReply }) {
  const { bucket, prefix, onlyEmptyFolders, state, deleted, startedAt, message } = deletion
  const { label, color } = states[state]
  return (
    <Row
      title={`${bucket}/${prefix}`}
      detail={
        <>
          {onlyEmptyFolders ? 'Empty folders' : `${formatAmount(deleted, 'object')} deleted`},
          started <Age at={startedAt} />
          {message !== null && <div>{message}</div>}
        </>
      }
      actions={
        <>
          {state === 'running' && <Loader size="xs" aria-hidden />}
          <Badge variant="light" color={color} tt="none">
            {label}
          </Badge>
          {state === 'running' && <CancelButton deletion={deletion} />}
        </>
      }
    />
  )
}

function CancelButton({ deletion: { id, prefix } }: { readonly deletion: DeletionReply }) {
  const { mutate, isPending } = useAction({
    method: 'DELETE',
    path: `/-/api/deletions/${id}`,
    failure: `The deletion of ${prefix} could not be cancelled`,
    refreshes: 'deletions',
  })
  return (
    <IconButton label={`Stop deleting ${prefix}`} loading={isPending} onClick={() => mutate()}>
      <IconX size={16} />
    </IconButton>
  )
}
