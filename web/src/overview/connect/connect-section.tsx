import { Code, Tabs, Text } from '@mantine/core'
import { CodeBlock } from '../../ui/code-block.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { FailureNotice } from '../../ui/failure-notice.tsx'
import { LoadingLines } from '../../ui/loading-lines.tsx'
import { Section } from '../../ui/section.tsx'
import { useBuckets, useStatus } from '../overview-queries.ts'
import {
  accessKeyPlaceholder,
  clientSettings,
  type Gateway,
  secretKeyPlaceholder,
} from './client-settings.ts'
import classes from './connect-section.module.css'

export function ConnectSection() {
  const status = useStatus()
  const bucket = useBuckets().data?.buckets[0]?.name ?? 'BUCKET'
  const { data, error } = status
  return (
    <Section title="Connect">
      {data !== undefined && <Connect gateway={gatewayOf(data.endpoint, bucket)} />}
      {data === undefined && error === null && <LoadingLines count={5} />}
      {data === undefined && error !== null && (
        <FailureNotice
          title="The endpoint could not be asked"
          error={error}
          onRetry={() => void status.refetch()}
        />
      )}
    </Section>
  )
}

function gatewayOf(endpoint: { url: string; region: string }, bucket: string): Gateway {
  return { endpoint: endpoint.url.replace(/\/+$/, ''), region: endpoint.region, bucket }
}

function Connect({ gateway }: { readonly gateway: Gateway }) {
  const clients = clientSettings(gateway)
  return (
    <>
      <dl className={classes.facts}>
        <Fact name="Endpoint" value={gateway.endpoint} />
        <Fact name="Region" value={gateway.region} />
        <dt>Keys</dt>
        <dd>
          ACCESS_KEY and SECRET_KEY as you set them; if you did not, they are in{' '}
          <Code>data/stowage.env</Code>
        </dd>
      </dl>
      <Tabs defaultValue={clients[0]?.id ?? null} keepMounted={false}>
        <Tabs.List className={classes.tabs}>
          {clients.map(({ id, name }) => (
            <Tabs.Tab key={id} value={id} px={10}>
              {name}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {clients.map(({ id, name, blocks }) => (
          <Tabs.Panel key={id} value={id} pt="sm" className={classes.panel}>
            {blocks.map((block) => (
              <CodeBlock key={block.caption} {...block} what={`settings for ${name}`} />
            ))}
          </Tabs.Panel>
        ))}
      </Tabs>
      <Text size="xs" c="dimmed" mt="sm">
        Put your keys in place of {accessKeyPlaceholder} and {secretKeyPlaceholder}: the dashboard
        does not know them.
      </Text>
    </>
  )
}

function Fact({ name, value }: { readonly name: string; readonly value: string }) {
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
