import { Alert, Code, NativeSelect, PasswordInput, Stack } from '@mantine/core'
import { IconInfoCircle } from '@tabler/icons-react'
import { useState } from 'react'
import type { KeyReply } from '../../../src/dashboard/management/key-routes.ts'
import type { StatusReply } from '../../../src/dashboard/management/management-schemas.ts'
import { serviceAddress } from '../api/service-address.ts'
import { useBuckets, useStatus } from '../api/service-queries.ts'
import { grantedBucket, usableKeys } from '../keys/key-text.ts'
import { useKeys } from '../keys/keys-queries.ts'
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
  return (
    <Loaded query={useStatus()} failure={connectTexts.failure} lines={5}>
      {(status) => <Connect status={status} />}
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

type Status = Pick<StatusReply, 'endpoint' | 'settings'>

function Connect({ status: { endpoint, settings } }: { readonly status: Status }) {
  const names = useBuckets().data?.buckets.map(({ name }) => name) ?? []
  const keys = usableKeys(useKeys().data?.keys ?? [], Date.now())
  const [keyId, setKeyId] = useState('')
  const [secret, setSecret] = useState('')
  const [chosen, setChosen] = useState<string>()
  const key = keys.find(({ accessKeyId }) => accessKeyId === keyId)
  const bucket = chosen ?? (key && grantedBucket(key)) ?? names[0] ?? 'BUCKET'
  const gateway = {
    ...gatewayOf(endpoint, bucket),
    ...(key !== undefined && { accessKey: key.accessKeyId }),
  }
  const chooseKey = (accessKeyId: string) => {
    setKeyId(accessKeyId)
    // What was typed is the secret of the other key.
    setSecret('')
  }
  return (
    <Stack gap={16}>
      <Section title={connectTexts.endpoint}>
        <dl className={classes.details}>
          <Detail name={connectTexts.address} value={gateway.endpoint} />
          <Detail name={connectTexts.region} value={gateway.region} />
          {keys.length > 0 && (
            <KeyChoice keys={keys} chosen={key?.accessKeyId ?? ''} onChoose={chooseKey} />
          )}
          <Detail name={connectTexts.accessKey} value={gateway.accessKey} />
          <dt>{connectTexts.secretKey}</dt>
          <dd>{key === undefined ? secretPlace(settings) : connectTexts.secretOfApp}</dd>
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
          <SecretInput value={secret} onChange={setSecret} />
          {names.length > 1 && (
            <NativeSelect
              label={connectTexts.bucket}
              data={names}
              value={bucket}
              onChange={({ currentTarget }) => setChosen(currentTarget.value)}
            />
          )}
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

interface KeyChoiceProps {
  readonly keys: readonly KeyReply[]
  /** '' for the main key. */
  readonly chosen: string
  readonly onChoose: (accessKeyId: string) => void
}

function KeyChoice({ keys, chosen, onChoose }: KeyChoiceProps) {
  return (
    <>
      <dt>{connectTexts.key}</dt>
      <dd>
        <NativeSelect
          size="xs"
          my={2}
          aria-label={connectTexts.key}
          data={[
            { value: '', label: connectTexts.mainKey },
            ...keys.map(({ accessKeyId, name }) => ({ value: accessKeyId, label: name })),
          ]}
          value={chosen}
          onChange={({ currentTarget }) => onChoose(currentTarget.value)}
        />
      </dd>
    </>
  )
}

interface SecretInputProps {
  readonly value: string
  readonly onChange: (secret: string) => void
}

function SecretInput({ value, onChange }: SecretInputProps) {
  return (
    <PasswordInput
      label={connectTexts.secretKey}
      description={connectTexts.secretText}
      placeholder={secretKeyPlaceholder}
      autoComplete="off"
      value={value}
      onChange={({ currentTarget }) => onChange(currentTarget.value)}
      visibilityToggleButtonProps={{ 'aria-label': connectTexts.showSecret }}
    />
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
