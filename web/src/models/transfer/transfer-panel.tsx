import { Button, Stack, Text } from '@mantine/core'
import { IconDownload } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import type { RoutingAnswer } from '../../../../src/models/routing/routing-schemas.ts'
import { request } from '../../api/client.ts'
import { modelsTexts } from '../../texts/models.ts'
import { failureOf } from '../../ui/messages.ts'
import { saveText } from '../../ui/save-text.ts'
import { Section } from '../../ui/section.tsx'
import { routingPath } from '../routing-queries.ts'
import { ImportForm } from './import-form.tsx'

export function TransferPanel() {
  return (
    <Stack gap="md">
      <Section title={modelsTexts.report.import}>
        <ImportForm />
      </Section>
      <Section title={modelsTexts.report.export}>
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
    onError: failureOf(modelsTexts.report.exportFailure),
  })
  return (
    <Stack gap="sm" align="flex-start">
      <Text size="sm">{modelsTexts.report.exportText}</Text>
      <Button
        variant="default"
        size="sm"
        leftSection={<IconDownload size={16} />}
        loading={isPending}
        onClick={() => mutate()}
      >
        {modelsTexts.report.save}
      </Button>
    </Stack>
  )
}
