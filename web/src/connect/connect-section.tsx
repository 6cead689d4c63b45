import { Alert, Code, Stack, Text } from '@mantine/core'
import { IconInfoCircle } from '@tabler/icons-react'
import type { StatusReply } from '../../../src/dashboard/management/management-schemas.ts'
import { serviceAddress } from '../api/service-address.ts'
import { useBuckets, useStatus } from '../api/service-queries.ts'
import { ClientTabs } from '../ui/copy/client-tabs.tsx'
import { CopyButton } from '../ui/copy/copy-button.tsx'
import { Loaded } from '../ui/loaded.tsx'
import { Section } from '../ui/section.tsx'
import { clientSettings, type Gateway, secretKeyPlaceholder } from './client-settings.ts'
import classes from './connect-section.module.css'

export function ConnectSection() {
  const bucket = useBuckets().data?.buckets[0]?.name ?? 'BUCKET'
  return (
    <Loaded query={useStatus()} failure="The connection settings could not be loaded" lines={5}>
      {({ endpoint, settings }) => (
        <Connect gateway={gatewayOf(endpoint, bucket)} isForAws={isForAws(settings)} />
      )}
    </Loaded>
  )
}

/** What clients need to connect with ACCESS_KEY. */
export function gatewayOf(endpoint: StatusReply['endpoint'], bucket: string): Gateway {
  const { region, accessKey } = endpoint
  return { endpoint: serviceAddress(endpoint, location.origin), region, accessKey, bucket }
}

function isForAws(settings: StatusReply['settings']): boolean {
  return settings.some(({ name, value }) => name === 'COMPATIBILITY' && value === 'aws')
}

interface ConnectProps {
  readonly gateway: Gateway
  readonly isForAws: boolean
}

function Connect({ gateway, isForAws }: ConnectProps) {
  return (
    <Stack gap={16}>
      <Section title="Endpoint">
        <dl className={classes.details}>
          <Detail name="Address" value={gateway.endpoint} />
          <Detail name="Region" value={gateway.region} />
          <Detail name="Access key" value={gateway.accessKey} />
          <dt>Secret key</dt>
          <dd>
            The value of SECRET_KEY. If it was generated, it is in the settings file that the server
            names when it starts.
          </dd>
        </dl>
      </Section>
      {!isForAws && (
        <Alert
          variant="light"
          icon={<IconInfoCircle size={18} />}
          title="Made for AWS S3 or MinIO?"
        >
          Such applications need the setting COMPATIBILITY=aws. Set it where the gateway is started.
        </Alert>
      )}
      <Section title="Settings to paste">
        <ClientTabs clients={clientSettings(gateway)} placeholder={secretKeyPlaceholder} />
        <Text size="xs" c="dimmed" mt="sm">
          Replace {secretKeyPlaceholder} with your secret key. The dashboard does not know it.
        </Text>
      </Section>
    </Stack>
  )
}

function Detail({ name, value }: { readonly name: string; readonly value: string }) {
  return (
    <>
      <dt>{name}</dt>
      <dd>
        <Code className={classes.value}>{value}</Code>
        <CopyButton text={value} what={name.toLowerCase()} />
      </dd>
    </>
  )
}
