import { Button, Group, Skeleton, Text } from '@mantine/core'
import { IconAlertTriangle, IconCircleCheck, IconCircleX } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { Link } from 'wouter'
import type { BucketStatus } from '../../../../src/dashboard/management/management-schemas.ts'
import { useBuckets, useStatus, useTraffic } from '../../api/service-queries.ts'
import { formatBytes, formatCount } from '../../format/bytes.ts'
import { formatDuration } from '../../format/time.ts'
import { frameTexts } from '../../texts/frame.ts'
import { overviewTexts } from '../../texts/overview.ts'
import { sumOf } from '../traffic/traffic-series.ts'
import { type Health, healthOf } from './health.ts'
import classes from './health-section.module.css'

const icons = { good: IconCircleCheck, watch: IconAlertTriangle, bad: IconCircleX } as const

/** What needs attention, and the figures of the service. */
export function HealthSection() {
  const points = useTraffic('hour').data?.points
  const lastHour = points && sumOf(points)
  const errors = lastHour && lastHour.refused + lastHour.failed
  return (
    <section className={classes.section} aria-label={overviewTexts.health}>
      <State />
      <dl className={classes.figures}>
        <Figure name={overviewTexts.requests} value={lastHour && formatCount(lastHour.requests)} />
        <Figure
          name={overviewTexts.errors}
          value={
            errors !== undefined && (
              <Link href="/activity?what=failures" className={classes.link ?? ''}>
                {formatCount(errors)}
              </Link>
            )
          }
        />
        <Figure
          name={overviewTexts.transferred}
          value={lastHour && formatBytes(lastHour.receivedBytes + lastHour.sentBytes)}
        />
        <Stored />
      </dl>
    </section>
  )
}

/** Good only if everything is known that it depends on. */
function State() {
  const [status, traffic, buckets] = [useStatus(), useTraffic('hour'), useBuckets()]
  const queries = [status, traffic, buckets]
  // A query that is asked again after it has failed has no error meanwhile.
  const failed = queries.find(
    ({ isError, data, errorUpdateCount }) =>
      isError || (data === undefined && errorUpdateCount > 0),
  )
  if (failed !== undefined) {
    const text = (failed.error ?? failed.failureReason)?.message ?? overviewTexts.asking
    return (
      <Notice level="bad" title={overviewTexts.unknown} reasons={[{ text }]}>
        <Button
          size="xs"
          variant="default"
          mt={6}
          onClick={() => queries.forEach((query) => void query.refetch())}
        >
          {frameTexts.tryAgain}
        </Button>
      </Notice>
    )
  }
  if (!(status.data && traffic.data && buckets.data)) return <Skeleton height={44} maw={320} />
  const { version, uptimeSeconds } = status.data
  return (
    <Notice {...healthOf(status.data, sumOf(traffic.data.points), buckets.data.buckets)}>
      <Text size="sm" c="dimmed">
        {overviewTexts.upFor(version, formatDuration(uptimeSeconds))}
      </Text>
    </Notice>
  )
}

interface NoticeProps extends Health {
  readonly children: ReactNode
}

function Notice({ level, title, reasons, children }: NoticeProps) {
  const Icon = icons[level]
  return (
    <Group wrap="nowrap" align="flex-start" gap={12} role={level === 'bad' ? 'alert' : undefined}>
      <Icon size={30} stroke={1.6} className={classes.icon} data-level={level} aria-hidden />
      <div>
        <Text fw={600}>{title}</Text>
        {reasons.length > 0 && (
          <ul className={classes.reasons}>
            {reasons.map(({ text, href }) => (
              <li key={text}>
                {href === undefined ? (
                  text
                ) : (
                  <Link href={href} className={classes.link ?? ''}>
                    {text}
                  </Link>
                )}
              </li>
            ))}
          </ul>
        )}
        {children}
      </div>
    </Group>
  )
}

function Stored() {
  const buckets = useBuckets().data?.buckets
  if (buckets === undefined) return <Figure name={overviewTexts.stored} value={undefined} />
  const sum = (name: 'objects' | 'bytes') =>
    buckets.reduce((total, bucket: BucketStatus) => total + (bucket[name] ?? 0), 0)
  return (
    <Figure
      name={overviewTexts.storedIn(buckets.length)}
      value={
        <span data-tip={overviewTexts.objects(sum('objects'))}>{formatBytes(sum('bytes'))}</span>
      }
    />
  )
}

function Figure({ name, value }: { readonly name: string; readonly value: ReactNode }) {
  return (
    <div className={classes.figure}>
      <dt>{name}</dt>
      <dd>{value === undefined || value === false ? '–' : value}</dd>
    </div>
  )
}
