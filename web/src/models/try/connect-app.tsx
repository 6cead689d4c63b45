import { Box, Text } from '@mantine/core'
import { Link } from 'wouter'
import { serviceAddress } from '../../api/service-address.ts'
import { useStatus } from '../../api/service-queries.ts'
import { ClientTabs } from '../../ui/copy/client-tabs.tsx'
import { Section } from '../../ui/section.tsx'
import { modelClients, modelKeyPlaceholder } from './model-clients.ts'

/** Settings of apps for a model, to paste. */
export function ConnectApp({ model }: { readonly model: string }) {
  const { data: status } = useStatus()
  if (status === undefined) return null
  const address = serviceAddress(status.endpoint, location.origin)
  return (
    <Box mt="md">
      <Section title="Connect an app">
        <Text size="sm" c="dimmed" mb="md" maw={720}>
          Replace {modelKeyPlaceholder} with a <Link href="/models/keys">model key</Link>, which is
          shown once, when it is created.
        </Text>
        <ClientTabs
          clients={modelClients(address, model === '' ? 'MODEL' : model)}
          placeholder={modelKeyPlaceholder}
        />
      </Section>
    </Box>
  )
}
