import { Button, Code, Group, SimpleGrid, Switch, Text, TextInput } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import type { WebsiteReply } from '../../../../src/dashboard/management/bucket-option-schemas.ts'
import type { BucketStatus } from '../../../../src/dashboard/management/management-schemas.ts'
import { serviceAddress } from '../../api/service-address.ts'
import { useStatus } from '../../api/service-queries.ts'
import { bucketsTexts } from '../../texts/buckets.ts'
import { CopyButton } from '../../ui/copy/copy-button.tsx'
import { HelpButton } from '../../ui/help-button.tsx'
import { RemovableFieldset } from '../../ui/removable-fieldset.tsx'
import { type RedirectRule, type WebsiteDocuments, websiteAddress } from './website-draft.ts'

const newWebsite: WebsiteDocuments = { index: 'index.html' }
const newRule: RedirectRule = { keyPrefix: '', newPrefix: '', code: 301 }

interface WebsiteFieldsProps {
  readonly bucket: BucketStatus
  /** null: there is none. */
  readonly website: WebsiteReply | null
  readonly onChange: (website: WebsiteReply | null) => void
}

/** The static website of a bucket, and its address. */
export function WebsiteFields({ bucket, website, onChange }: WebsiteFieldsProps) {
  const { websiteHost } = bucket
  if (websiteHost === null && website === null) {
    return (
      <Text size="sm" c="dimmed">
        {bucketsTexts.website.noDomain}
        <HelpButton text={bucketsTexts.website.domainSetting} />
      </Text>
    )
  }
  return (
    <>
      <Switch
        label={bucketsTexts.website.switch}
        checked={website !== null}
        onChange={(event) => onChange(event.currentTarget.checked ? newWebsite : null)}
      />
      {website !== null && websiteHost !== null && (
        <WebsiteAddress host={websiteHost} isOpen={bucket.isPublic} />
      )}
      {website !== null &&
        ('redirectAllTo' in website ? (
          <Text size="sm">{bucketsTexts.website.redirectAll(website.redirectAllTo.host)}</Text>
        ) : (
          <DocumentFields website={website} onChange={onChange} />
        ))}
    </>
  )
}

interface WebsiteAddressProps {
  readonly host: string
  readonly isOpen: boolean
}

function WebsiteAddress({ host, isOpen }: WebsiteAddressProps) {
  const { data: status } = useStatus()
  if (status === undefined) return null
  const { endpoint } = status
  const address = websiteAddress(host, serviceAddress(endpoint, location.origin))
  return (
    <div>
      <Group gap={6}>
        <Text size="sm">{bucketsTexts.website.address}</Text>
        <Code style={{ overflowWrap: 'anywhere' }}>{address}</Code>
        <CopyButton text={address} what={bucketsTexts.website.addressWhat} />
      </Group>
      {!endpoint.isPublicUrl && (
        <Text size="xs" c="dimmed">
          {bucketsTexts.website.assumed}
          <HelpButton text={bucketsTexts.website.assumedSetting} />
        </Text>
      )}
      {!isOpen && (
        <Text size="xs" c="dimmed">
          {bucketsTexts.website.notPublic}
        </Text>
      )}
    </div>
  )
}

interface DocumentFieldsProps {
  readonly website: WebsiteDocuments
  readonly onChange: (website: WebsiteDocuments) => void
}

function DocumentFields({ website, onChange }: DocumentFieldsProps) {
  const { rules = [] } = website
  const setRules = (changed: readonly RedirectRule[]) =>
    onChange({ ...website, rules: [...changed] })
  return (
    <>
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
        <TextInput
          label={bucketsTexts.website.index}
          description={bucketsTexts.website.indexHint}
          required
          pattern="[^\/]+"
          spellCheck={false}
          value={website.index}
          onChange={(event) => onChange({ ...website, index: event.currentTarget.value })}
        />
        <TextInput
          label={bucketsTexts.website.error}
          description={bucketsTexts.website.errorHint}
          placeholder={bucketsTexts.website.none}
          spellCheck={false}
          value={website.errorKey ?? ''}
          onChange={(event) => onChange({ ...website, errorKey: event.currentTarget.value })}
        />
      </SimpleGrid>
      {rules.map((rule, index) => (
        <RedirectFields
          // biome-ignore lint/suspicious/noArrayIndexKey: a redirect has nothing else that stays
          key={index}
          title={bucketsTexts.website.rule(index + 1)}
          rule={rule}
          onChange={(changed) => setRules(rules.map((other) => (other === rule ? changed : other)))}
          onRemove={() => setRules(rules.filter((other) => other !== rule))}
        />
      ))}
      <Group>
        <Button
          variant="default"
          size="xs"
          leftSection={<IconPlus size={16} />}
          onClick={() => setRules([...rules, { ...newRule }])}
        >
          {bucketsTexts.website.add}
        </Button>
      </Group>
    </>
  )
}

interface RedirectFieldsProps {
  readonly title: string
  readonly rule: RedirectRule
  readonly onChange: (rule: RedirectRule) => void
  readonly onRemove: () => void
}

/** A redirect of a prefix. What else S3 clients have set for it is shown in words, and kept. */
function RedirectFields({ title, rule, onChange, onRemove }: RedirectFieldsProps) {
  const { key, host, protocol, status } = rule
  const details = [
    ...(status === undefined ? [] : [bucketsTexts.website.onStatus(status)]),
    ...(host === undefined ? [] : [bucketsTexts.website.toHost(host)]),
    ...(protocol === undefined ? [] : [bucketsTexts.website.toProtocol(protocol)]),
    ...(key === undefined ? [] : [bucketsTexts.website.toKey(key)]),
  ]
  return (
    <RemovableFieldset title={title} onRemove={onRemove}>
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
        <TextInput
          label={bucketsTexts.website.from}
          placeholder={bucketsTexts.website.fromExample}
          required={details.length === 0 && rule.keyPrefix !== undefined}
          spellCheck={false}
          value={rule.keyPrefix ?? ''}
          onChange={(event) => onChange({ ...rule, keyPrefix: event.currentTarget.value })}
        />
        {key === undefined && (
          <TextInput
            label={bucketsTexts.website.to}
            placeholder={bucketsTexts.website.toExample}
            spellCheck={false}
            value={rule.newPrefix ?? ''}
            onChange={(event) => onChange({ ...rule, newPrefix: event.currentTarget.value })}
          />
        )}
      </SimpleGrid>
      {details.map((detail) => (
        <Text key={detail} size="xs" c="dimmed" mt="xs">
          {detail}
        </Text>
      ))}
    </RemovableFieldset>
  )
}
