import { Button, Stack, Text } from '@mantine/core'
import { IconDownload } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import type { RoutingAnswer } from '../../../../src/models/routing/routing-schemas.ts'
import { request } from '../../api/client.ts'
import { failureOf } from '../../ui/messages.ts'
import { saveText } from '../../ui/save-text.ts'
import { Section } from '../../ui/section.tsx'
import { routingPath } from '../routing-queries.ts'
import { ImportForm } from './import-form.tsx'

export function TransferPanel() {
  return (
    <Stack gap="md">
      <Section title="Import">
        <ImportForm />
      </Section>
      <Section title="Export">
        <Export />
      </Section>
    </Stack>
  )
}

function Export() {
  const { mutate, isPending } = useMutation({
    mutationFn: () => request<RoutingAnswer>(`${routingPath}/export`),
    onSuccess: (state) =>
      saveText('bucketry-routing.json', `${JSON.stringify(state, null, 2)}\n`, 'application/json'),
    onError: failureOf('The export failed'),
  })
  return (
    <Stack gap="sm" align="flex-start">
      <Text size="sm">
        Connections, combos, custom models and aliases as one file. API keys are masked. If you
        import the file here, the stored keys are kept. On another gateway, enter them again.
      </Text>
      <Button
        variant="default"
        size="sm"
        leftSection={<IconDownload size={16} />}
        loading={isPending}
        onClick={() => mutate()}
      >
        Save export
      </Button>
    </Stack>
  )
}
