import { Alert, Code, NativeSelect, PasswordInput, Stack } from '@mantine/core'
import { IconInfoCircle } from '@tabler/icons-react'
import { type ReactNode, useState } from 'react'
import type { StatusReply } from '../../../src/dashboard/management/management-schemas.ts'
import { serviceAddress } from '../api/service-address.ts'
import { useBuckets, useStatus } from '../api/service-queries.ts'
import { connectTexts } from '../texts/connect.ts'
import { frameTexts } from '../texts/frame.ts'
import { ClientTabs } from '../ui/copy/client-tabs.tsx'
import { CopyButton } from '../ui/copy/copy-button.tsx'
import { HelpButton } from '../ui/help-button.tsx'
import { Loaded } from '../ui/loaded.tsx'
import { Section } from '../ui/section.tsx'
import { clientSettings, type Gateway, secretKeyPlaceholder } from './client-settings.ts'
import classes from './connect-section.module.css'

export function ConnectSection() {
  const names = useBuckets().data?.buckets.map(({ name }) => name) ?? []
  const [chosen, setChosen] = useState<string>()
  const bucket = chosen ?? names[0] ?? 'BUCKET'
  return (
    <Loaded query={useStatus()} failure={connectTexts.failure} lines={5}>
      {({ endpoint, settings }) => (
        <Connect
          gateway={gatewayOf(endpoint, bucket)}
          settings={settings}
          bucketField={
            names.length > 1 && (
              <NativeSelect
                label={connectTexts.bucket}
                data={names}
                value={bucket}
                onChange={({ currentTarget }) => setChosen(currentTarget.value)}
              />
            )
          }
        />
      )}
    </Loaded>
  )
}

/** What clients need to connect with ACCESS_KEY. */
export function gatewayOf(endpoint: StatusReply['endpoint'], bucket: string): Gateway {
  const { region, accessKey } = endpoint
  return { endpoint: serviceAddress(endpoint, location.origin), region, accessKey, bucket }
}

type Settings = StatusReply['settings']

function isForAws(settings: Settings): boolean {
  return settings.some(({ name, value }) => name === 'COMPATIBILITY' && value === 'aws')
}

/** Where the secret key is: the dashboard does not know it. */
function secretPlace(settings: Settings): string {
  const of = (wanted: string) => settings.find(({ name }) => name === wanted)
  if (of('SECRET_KEY')?.source !== 'file') {
    return connectTexts.secretInEnvironment
  }
  return connectTexts.secretInFile(of('DATA_DIR')?.value ?? 'DATA_DIR')
}

interface ConnectProps {
  readonly gateway: Gateway
  readonly settings: Settings
  readonly bucketField: ReactNode
}

function Connect({ gateway, settings, bucketField }: ConnectProps) {
  const [secret, setSecret] = useState('')
  return (
    <Stack gap={16}>
      <Section title={connectTexts.endpoint}>
        <dl className={classes.details}>
          <Detail name={connectTexts.address} value={gateway.endpoint} />
          <Detail name={connectTexts.region} value={gateway.region} />
          <Detail name={connectTexts.accessKey} value={gateway.accessKey} />
          <dt>{connectTexts.secretKey}</dt>
          <dd>{secretPlace(settings)}</dd>
        </dl>
      </Section>
      {!isForAws(settings) && (
        <Alert variant="light" icon={<IconInfoCircle size={18} />} title={connectTexts.madeForAws}>
          {connectTexts.madeForAwsText}
          <HelpButton text={connectTexts.madeForAwsSetting} />
        </Alert>
      )}
      <Section title={connectTexts.toPaste}>
        <div className={classes.fields}>
          <PasswordInput
            label={connectTexts.secretKey}
            description={connectTexts.secretText}
            placeholder={secretKeyPlaceholder}
            autoComplete="off"
            value={secret}
            onChange={({ currentTarget }) => setSecret(currentTarget.value)}
            visibilityToggleButtonProps={{ 'aria-label': connectTexts.showSecret }}
          />
          {bucketField}
        </div>
        <ClientTabs
          clients={clientSettings(gateway)}
          placeholder={secretKeyPlaceholder}
          {...(secret !== '' && { secret })}
        />
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
        <CopyButton text={value} what={frameTexts.inSentence(name)} />
      </dd>
    </>
  )
}
