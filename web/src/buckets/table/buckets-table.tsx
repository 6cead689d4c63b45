import { Badge, Group, Progress, Table, Text, VisuallyHidden } from '@mantine/core'
import { IconBucket } from '@tabler/icons-react'
import { Link } from 'wouter'
import type { BucketStatus } from '../../../../src/dashboard/management/management-schemas.ts'
import { shownMessage } from '../../api/shown-message.ts'
import { formatBytes, formatCount, formatExactBytes } from '../../format/bytes.ts'
import { bucketsTexts } from '../../texts/buckets.ts'
import { Rich } from '../../texts/rich.tsx'
import { Age } from '../../ui/age.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { bucketPath } from '../bucket-tabs.tsx'
import { CreateBucketButton } from '../create-bucket-button.tsx'
import { PublicBadge } from '../public-badge.tsx'
import { useCreationObstacle } from '../use-creation-obstacle.ts'
import { BucketMenu } from './bucket-menu.tsx'
import classes from './buckets-table.module.css'

/** The buckets with their figures and what can be done with them. */
export function BucketsTable({ buckets }: { readonly buckets: readonly BucketStatus[] }) {
  if (buckets.length === 0) return <NoBuckets />
  return (
    <Table verticalSpacing="xs" horizontalSpacing="xs" className={classes.table}>
      <Table.Thead>
        <Table.Tr>
          <Table.Th scope="col">{bucketsTexts.table.name}</Table.Th>
          <Table.Th scope="col" className={`${classes.number} ${classes.wide}`}>
            {bucketsTexts.table.objects}
          </Table.Th>
          <Table.Th scope="col" className={classes.number}>
            {bucketsTexts.table.size}
          </Table.Th>
          <Table.Th scope="col" className={classes.wide}>
            {bucketsTexts.table.changed}
          </Table.Th>
          <Table.Th className={classes.action}>
            <VisuallyHidden>{bucketsTexts.table.actions}</VisuallyHidden>
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

function NoBuckets() {
  const obstacle = useCreationObstacle()
  return (
    <EmptyState
      icon={<IconBucket size={40} stroke={1.2} />}
      title={bucketsTexts.table.none}
      action={
        obstacle === undefined && (
          <CreateBucketButton>{bucketsTexts.table.createFirst}</CreateBucketButton>
        )
      }
    >
      {obstacle ?? bucketsTexts.table.noneText}
    </EmptyState>
  )
}

function BucketRow({ bucket }: { readonly bucket: BucketStatus }) {
  const { name, isReadOnly, objects, lastModified } = bucket
  return (
    <Table.Tr>
      <Table.Td>
        <Group gap="4px 8px">
          <Link href={bucketPath(name, 'files')} className={classes.link ?? ''}>
            {name}
          </Link>
          <PublicBadge bucket={bucket} />
          {isReadOnly && (
            <Badge variant="light" color="gray" size="sm" tt="none" data-tip="READ_ONLY">
              {bucketsTexts.table.readOnly}
            </Badge>
          )}
        </Group>
        <Text size="xs" c="dimmed" component="div">
          <CountState bucket={bucket} />
        </Text>
      </Table.Td>
      <Table.Td className={`${classes.number} ${classes.wide}`}>
        {objects === null ? '–' : formatCount(objects)}
      </Table.Td>
      <Table.Td className={classes.number}>
        <Size bucket={bucket} />
      </Table.Td>
      <Table.Td className={classes.wide}>
        {lastModified === null ? '–' : <Age at={lastModified} />}
      </Table.Td>
      <Table.Td className={classes.action}>
        <BucketMenu bucket={bucket} />
      </Table.Td>
    </Table.Tr>
  )
}

/** The share of a quota from which its bar warns. */
const tightPercent = 85

function Size({ bucket: { name, bytes, formerVersions, quotaBytes } }: { bucket: BucketStatus }) {
  if (bytes === null) return '–'
  const text = <span data-tip={formatExactBytes(bytes)}>{formatBytes(bytes)}</span>
  if (quotaBytes === null) return text
  const usedBytes = bytes + (formerVersions?.bytes ?? 0)
  const percent = quotaBytes === 0 ? 100 : Math.min(100, (usedBytes / quotaBytes) * 100)
  return (
    <>
      {text}
      {bucketsTexts.table.of(formatBytes(quotaBytes))}
      <Progress
        mt={4}
        size="xs"
        value={percent}
        color={percent >= tightPercent ? 'orange' : 'var(--bucketry-accent)'}
        aria-label={bucketsTexts.table.quotaOf(name)}
      />
    </>
  )
}

/** What is not in the columns: a count that runs or failed, and former versions. */
function CountState({ bucket }: { readonly bucket: BucketStatus }) {
  const { countedAt, isCounting, problem, formerVersions } = bucket
  const formerBytes = formerVersions?.bytes ?? 0
  if (isCounting) {
    return (
      <span role="status">
        {countedAt === null ? bucketsTexts.table.counting : bucketsTexts.table.recounting}
      </span>
    )
  }
  if (problem !== null) return <span>{bucketsTexts.table.problem(shownMessage(problem))}</span>
  if (countedAt === null) return <span>{bucketsTexts.table.notCounted}</span>
  return (
    <span>
      <Rich text={bucketsTexts.table.counted} marks={{ age: () => <Age at={countedAt} /> }} />
      {formerBytes > 0 && bucketsTexts.table.former(formatBytes(formerBytes))}
    </span>
  )
}
