import { Text } from '@mantine/core'
import { IconPlugConnected } from '@tabler/icons-react'
import type { WarnedRouting } from '../../../../src/models/routing/routing-schemas.ts'
import { modelsTexts } from '../../texts/models.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import { RowList } from '../../ui/row-list.tsx'
import { RecordDialog } from '../forms/record-dialog.tsx'
import { RecordsSection } from '../forms/records-section.tsx'
import { useListings, useProviders } from '../routing-queries.ts'
import { warningsAt } from '../warnings-at.ts'
import { newConnectionBody, newConnectionDraft, newConnectionFields } from './connection-draft.ts'
import { ConnectionRow } from './connection-row.tsx'
import { usePauses } from './pauses.tsx'

export function ConnectionsPanel() {
  return (
    <RecordsSection
      title={modelsTexts.tab.connections}
      addLabel={modelsTexts.connections.add}
      failure={modelsTexts.connections.failure}
      newDialog={(onDone) => <AddConnection onDone={onDone} />}
    >
      {(state) => <Connections state={state} />}
    </RecordsSection>
  )
}

function AddConnection({ onDone }: { readonly onDone: () => void }) {
  const providers = useProviders().data?.providers ?? []
  return (
    <RecordDialog
      title={modelsTexts.connections.new}
      fields={newConnectionFields(providers.map(({ id }) => ({ value: id, label: id })))}
      initial={newConnectionDraft}
      action={modelsTexts.connections.addAction}
      changeOf={(draft) => ({
        method: 'POST',
        path: '/connections',
        body: newConnectionBody(draft),
      })}
      onDone={onDone}
    />
  )
}

function Connections({ state: { connections, warnings } }: { readonly state: WarnedRouting }) {
  const { data: listings } = useListings()
  const pauses = usePauses().data?.pauses ?? []
  if (connections.length === 0) {
    return (
      <EmptyState
        icon={<IconPlugConnected size={32} stroke={1.5} />}
        title={modelsTexts.connections.none}
      >
        {modelsTexts.connections.noneText}
      </EmptyState>
    )
  }
  const ids = connections.map(({ id }) => id)
  return (
    <>
      <Text size="sm" c="dimmed" mb="md">
        {modelsTexts.connections.text}
      </Text>
      <RowList>
        {connections.map((connection, index) => (
          <ConnectionRow
            key={connection.id}
            connection={connection}
            ids={ids}
            warnings={warningsAt(warnings, `connections[${index}]`)}
            pauses={pauses.filter(({ connectionId }) => connectionId === connection.id)}
            listing={listings?.connections.find(({ id }) => id === connection.id)}
          />
        ))}
      </RowList>
    </>
  )
}
