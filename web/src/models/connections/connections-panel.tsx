import { Box, Button, Text } from '@mantine/core'
import { useDisclosure, useFocusReturn } from '@mantine/hooks'
import { IconPlugConnected, IconPlus } from '@tabler/icons-react'
import type { ConnectionAnswer } from '../../../../src/models/routing/routing-schemas.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import { FailureNotice } from '../../ui/failure-notice.tsx'
import { LoadingLines } from '../../ui/loading-lines.tsx'
import { RowList } from '../../ui/row-list.tsx'
import { Section } from '../../ui/section.tsx'
import { RecordForm } from '../forms/record-form.tsx'
import { useChangeRouting, useProviders, useRouting } from '../routing-queries.ts'
import { newConnectionBody, newConnectionDraft, newConnectionFields } from './connection-draft.ts'
import { ConnectionRow } from './connection-row.tsx'

export function ConnectionsPanel() {
  const { data, error, refetch } = useRouting()
  const [isAdding, { open, close }] = useDisclosure(false)
  useFocusReturn({ opened: isAdding })
  return (
    <Section
      title="Connections"
      actions={
        <Button
          size="xs"
          leftSection={<IconPlus size={16} />}
          aria-expanded={isAdding}
          onClick={open}
        >
          Add a connection
        </Button>
      }
    >
      {isAdding && (
        <Box mb="md">
          <AddConnection onDone={close} />
        </Box>
      )}
      {data !== undefined && <Connections connections={data.connections} />}
      {data === undefined && error === null && <LoadingLines />}
      {data === undefined && error !== null && (
        <FailureNotice
          title="The connections could not be loaded"
          error={error}
          onRetry={() => void refetch()}
        />
      )}
    </Section>
  )
}

function AddConnection({ onDone }: { readonly onDone: () => void }) {
  const change = useChangeRouting()
  const providers = useProviders().data?.providers ?? []
  return (
    <RecordForm
      label="New connection"
      fields={newConnectionFields(providers.map(({ id }) => ({ value: id, label: id })))}
      initial={newConnectionDraft}
      submitLabel="Add the connection"
      onSubmit={(draft) =>
        change({ method: 'POST', path: '/connections', body: newConnectionBody(draft) })
      }
      onDone={onDone}
    />
  )
}

function Connections({ connections }: { readonly connections: readonly ConnectionAnswer[] }) {
  if (connections.length === 0) {
    return (
      <EmptyState icon={<IconPlugConnected size={32} stroke={1.5} />} title="No connections yet">
        A connection is a provider with your key. Until one is active, the model list is the whole
        catalogue.
      </EmptyState>
    )
  }
  const ids = connections.map(({ id }) => id)
  return (
    <>
      <Text size="sm" c="dimmed" mb="md">
        Of each provider the first active connection counts; the models are listed in this order.
      </Text>
      <RowList>
        {connections.map((connection) => (
          <ConnectionRow key={connection.id} connection={connection} ids={ids} />
        ))}
      </RowList>
    </>
  )
}
