import { Button, Text } from '@mantine/core'
import { IconKey, IconPlus } from '@tabler/icons-react'
import { useState } from 'react'
import type {
  ModelKeyReply,
  NewModelKeyReply,
} from '../../../../src/models/keys/model-key-routes.ts'
import { serviceAddress } from '../../api/service-address.ts'
import { useStatus } from '../../api/service-queries.ts'
import { ClientTabs } from '../../ui/copy/client-tabs.tsx'
import { SecretDialog } from '../../ui/copy/secret-dialog.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
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
      title="Model keys"
      actions={
        <Button size="xs" leftSection={<IconPlus size={16} />} onClick={() => setIsAdding(true)}>
          Create a key
        </Button>
      }
    >
      <Text size="sm" c="dimmed" mb="md" maw={720}>
        Calls need a key. Give each app a key of its own; the key in the settings, MODELS_API_KEY,
        can call every model without limits. Lists show a model key only what it may call.
      </Text>
      <Loaded query={useModelKeys()} failure="The model keys could not be loaded">
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
          what="model key"
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
      <EmptyState icon={<IconKey size={32} stroke={1.5} />} title="No model keys yet">
        A model key is limited to models, requests, tokens and money, and can be revoked without
        touching other apps. <NextStep />
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
