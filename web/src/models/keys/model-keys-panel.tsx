import { Button, Text } from '@mantine/core'
import { IconKey, IconPlus } from '@tabler/icons-react'
import { useState } from 'react'
import type {
  ModelKeyReply,
  NewModelKeyReply,
} from '../../../../src/models/keys/model-key-routes.ts'
import { serviceAddress } from '../../api/service-address.ts'
import { useStatus } from '../../api/service-queries.ts'
import { modelsTexts } from '../../texts/models.ts'
import { ClientTabs } from '../../ui/copy/client-tabs.tsx'
import { SecretDialog } from '../../ui/copy/secret-dialog.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { HelpButton } from '../../ui/help-button.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { RowList } from '../../ui/row-list.tsx'
import { Section } from '../../ui/section.tsx'
import { NextStep } from '../next-step.tsx'
import { modelClients, modelKeyPlaceholder } from '../try/model-clients.ts'
import { ModelKeyDialog } from './model-key-dialog.tsx'
import { ModelKeyRow } from './model-key-row.tsx'
import { useModelKeys } from './model-keys-queries.ts'

/** The keys of apps that call models. */
export function ModelKeysPanel() {
  const [isAdding, setIsAdding] = useState(false)
  const [made, setMade] = useState<NewModelKeyReply>()
  const { data: status } = useStatus()
  return (
    <Section
      title={modelsTexts.tab.keys}
      actions={
        <Button size="xs" leftSection={<IconPlus size={16} />} onClick={() => setIsAdding(true)}>
          {modelsTexts.keys.create}
        </Button>
      }
    >
      <Text size="sm" c="dimmed" mb="md" maw={720}>
        {modelsTexts.keys.text} <HelpButton text={modelsTexts.keys.help} />
      </Text>
      <Loaded query={useModelKeys()} failure={modelsTexts.keys.failure}>
        {({ keys }) => <ModelKeys keys={keys} />}
      </Loaded>
      {isAdding && (
        <ModelKeyDialog<NewModelKeyReply>
          onDone={(reply) => {
            setIsAdding(false)
            setMade(reply)
          }}
          onClose={() => setIsAdding(false)}
        />
      )}
      {made !== undefined && (
        <SecretDialog
          name={made.key.name}
          what={modelsTexts.keys.what}
          secret={made.secret}
          settings={(onTaken) =>
            status !== undefined && (
              <ClientTabs
                clients={modelClients(
                  serviceAddress(status.endpoint, location.origin),
                  made.key.models.find((model) => !model.includes('*')) ?? 'MODEL',
                )}
                placeholder={modelKeyPlaceholder}
                secret={made.secret}
                onTaken={onTaken}
              />
            )
          }
          onClose={() => setMade(undefined)}
        />
      )}
    </Section>
  )
}

function ModelKeys({ keys }: { readonly keys: readonly ModelKeyReply[] }) {
  if (keys.length === 0) {
    return (
      <EmptyState icon={<IconKey size={32} stroke={1.5} />} title={modelsTexts.keys.none}>
        {modelsTexts.keys.noneText} <NextStep />
      </EmptyState>
    )
  }
  return (
    <RowList>
      {keys.map((key) => (
        <ModelKeyRow key={key.keyId} modelKey={key} />
      ))}
    </RowList>
  )
}
