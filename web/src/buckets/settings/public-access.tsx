import { Code, Group, Switch, Text } from '@mantine/core'
import type { BucketStatus } from '../../../../src/dashboard/management/management-schemas.ts'
import { accessByPolicy, aclEffect, listSetting, publicAccess } from '../../api/public-access.ts'
import { useStatus } from '../../api/service-queries.ts'
import { bucketsTexts } from '../../texts/buckets.ts'
import { CopyButton } from '../../ui/copy/copy-button.tsx'
import { HelpButton } from '../../ui/help-button.tsx'
import { publicAddress } from '../public-address.ts'

interface PublicAccessProps {
  readonly bucket: BucketStatus
  readonly isPublic: boolean
  readonly onChange: (isPublic: boolean) => void
}

/** The switch of a public bucket, what it lets everyone do, and the address for it. */
export function PublicAccess({ bucket, isPublic, onChange }: PublicAccessProps) {
  const isFixed = bucket.isPublicFromEnvironment
  const status = useStatus().data
  const policy = accessByPolicy(bucket.openByPolicy)
  const access = policy === '' ? publicAccess(status) : bucketsTexts.access.switchingOff(policy)
  const help = [
    policy === '' && listSetting(status),
    aclEffect(status),
    isFixed && bucketsTexts.access.fromEnvironment,
  ].filter(Boolean)
  const address = status && publicAddress(status.endpoint, bucket.name)
  return (
    <>
      <Group gap={4} wrap="nowrap" align="flex-start">
        <Switch
          label={bucketsTexts.access.switch}
          description={access}
          checked={isPublic}
          disabled={isFixed}
          onChange={(event) => onChange(event.currentTarget.checked)}
        />
        {help.length > 0 && <HelpButton text={help.join(' ')} />}
      </Group>
      {bucket.isPublic && address !== undefined && (
        <Group gap={6}>
          <Text size="sm">{bucketsTexts.access.address}</Text>
          <Code style={{ overflowWrap: 'anywhere' }}>{address}</Code>
          <CopyButton text={address} what={bucketsTexts.access.addressWhat} />
        </Group>
      )}
    </>
  )
}
