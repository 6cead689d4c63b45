import { Badge, Group, Loader, Table, Text, VisuallyHidden } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconBucket, IconPlus, IconRefresh, IconSettings } from '@tabler/icons-react'
import { Link } from 'wouter'
import type { BucketStatus } from '../../../../src/dashboard/management/management-schemas.ts'
import { useBuckets } from '../../api/service-queries.ts'
import { CreateBucketButton } from '../../buckets/create-bucket-button.tsx'
import { PublicBadge } from '../../buckets/public-badge.tsx'
import { formatBytes, formatCount, formatExactBytes } from '../../format/bytes.ts'
import { Age } from '../../ui/age.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { IconButton } from '../../ui/icon-button.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { Section } from '../../ui/section.tsx'
import { useAction } from '../../ui/use-action.ts'
import { BucketSettingsDialog } from './bucket-settings-dialog.tsx'
import classes from './buckets-section.module.css'

export function BucketsSection() {
  return (
    <Section
      title="Buckets"
      actions={
        <CreateBucketButton size="xs" variant="default" leftSection={<IconPlus size={16} />}>
          Create a bucket
        </CreateBucketButton>
      }
    >
      <Loaded query={useBuckets()} failure="The buckets could not be loaded">
        {({ buckets }) => <Buckets buckets={buckets} />}
      </Loaded>
    </Section>
  )
}

function Buckets({ buckets }: { readonly buckets: readonly BucketStatus[] }) {
  if (buckets.length === 0) {
    return (
      <EmptyState
        icon={<IconBucket size={32} stroke={1.5} />}
        title="No buckets yet"
        action={<CreateBucketButton>Create the first bucket</CreateBucketButton>}
      >
        A bucket is a folder of the drive that S3 clients see.
      </EmptyState>
    )
  }
  return (
    <Table verticalSpacing="xs" horizontalSpacing="xs" className={classes.table}>
      <Table.Thead>
        <Table.Tr>
          <Table.Th scope="col">Name</Table.Th>
          <Table.Th scope="col" className={classes.number}>
            Objects
          </Table.Th>
          <Table.Th scope="col" className={classes.number}>
            Size
          </Table.Th>
          <Table.Th scope="col" className={classes.wide}>
            Last modified
          </Table.Th>
          <Table.Th className={classes.action}>
            <VisuallyHidden>Actions</VisuallyHidden>
          </Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {buckets.map((bucket) => (
          <BucketRow key={bucket.name} bucket={bucket} />
        ))}
      </Table.Tbody>
    </Table>
  )
}

function BucketRow({ bucket }: { readonly bucket: BucketStatus }) {
  const { name, isReadOnly, objects, bytes, lastModified } = bucket
  return (
    <Table.Tr>
      <Table.Td>
        <Group gap="4px 8px">
          <Link href={`/files/${name}`} className={classes.link ?? ''}>
            {name}
          </Link>
          <PublicBadge bucket={bucket} />
          {isReadOnly && (
            <Badge variant="light" color="gray" size="sm" tt="none" title="READ_ONLY">
              Read-only
            </Badge>
          )}
        </Group>
        <Text size="xs" c="dimmed" component="div">
          <CountState bucket={bucket} />
        </Text>
      </Table.Td>
      <Table.Td className={classes.number}>
        {objects === null ? '–' : formatCount(objects)}
      </Table.Td>
      <Table.Td className={classes.number}>
        {bytes === null ? '–' : <span title={formatExactBytes(bytes)}>{formatBytes(bytes)}</span>}
      </Table.Td>
      <Table.Td className={classes.wide}>
        {lastModified === null ? '–' : <Age at={lastModified} />}
      </Table.Td>
      <Table.Td className={classes.action}>
        <Group gap={2} wrap="nowrap" justify="flex-end">
          <RecountButton bucket={bucket} />
          <SettingsButton bucket={bucket} />
        </Group>
      </Table.Td>
    </Table.Tr>
  )
}

/** When a bucket was counted, or why it has no figures. */
function CountState({ bucket }: { readonly bucket: BucketStatus }) {
  const { countedAt, isCounting, problem, formerVersions } = bucket
  const formerBytes = formerVersions?.bytes ?? 0
  if (isCounting) {
    return <span role="status">{countedAt === null ? 'counting…' : 'recounting…'}</span>
  }
  if (problem !== null) return <span>not counted: {problem}</span>
  if (countedAt === null) return <span>not counted yet</span>
  return (
    <span>
      counted <Age at={countedAt} />
      {formerBytes > 0 && `, and ${formatBytes(formerBytes)} in former versions`}
    </span>
  )
}

function RecountButton({ bucket }: { readonly bucket: BucketStatus }) {
  const { mutate, isPending } = useAction({
    method: 'POST',
    path: `/-/api/buckets/${bucket.name}/count`,
    failure: `${bucket.name} could not be counted`,
    refreshes: 'buckets',
  })
  const isBusy = isPending || bucket.isCounting
  return (
    <IconButton
      label={`Recount ${bucket.name}`}
      aria-disabled={isBusy}
      onClick={() => {
        if (!isBusy) mutate()
      }}
    >
      {isBusy ? <Loader size={14} color="gray" aria-hidden /> : <IconRefresh size={16} />}
    </IconButton>
  )
}

function SettingsButton({ bucket }: { readonly bucket: BucketStatus }) {
  const [isOpen, { open, close }] = useDisclosure(false)
  return (
    <>
      <IconButton label={`Settings of ${bucket.name}`} onClick={open}>
        <IconSettings size={16} />
      </IconButton>
      {isOpen && <BucketSettingsDialog bucket={bucket} onClose={close} />}
    </>
  )
}
