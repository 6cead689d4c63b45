import { Code, Group, Switch, Text } from '@mantine/core'
import type { BucketStatus } from '../../../../src/dashboard/management/management-schemas.ts'
import { accessByPolicy, aclEffect, publicAccessBySetting } from '../../api/public-access.ts'
import { useStatus } from '../../api/service-queries.ts'
import { CopyButton } from '../../ui/copy/copy-button.tsx'
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
  const access = [
    policy === '' ? publicAccessBySetting(status) : `${policy} Switching this off removes it.`,
    aclEffect(status),
    isFixed && 'Set by PUBLIC_READ_BUCKETS.',
  ].filter(Boolean)
  const address = status && publicAddress(status.endpoint, bucket.name)
  return (
    <>
      <Switch
        label="Public: anyone can read it, without a key"
        description={access.join(' ')}
        checked={isPublic}
        disabled={isFixed}
        onChange={(event) => onChange(event.currentTarget.checked)}
      />
      {bucket.isPublic && address !== undefined && (
        <Group gap={6}>
          <Text size="sm">Public address</Text>
          <Code style={{ overflowWrap: 'anywhere' }}>{address}</Code>
          <CopyButton text={address} what="public address" />
        </Group>
      )}
    </>
  )
}
