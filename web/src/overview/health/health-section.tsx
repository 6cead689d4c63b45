import { Group, Skeleton, Text } from '@mantine/core'
import { IconAlertTriangle, IconCircleCheck, IconCircleX } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { Link } from 'wouter'
import type { BucketStatus } from '../../../../src/dashboard/management/management-schemas.ts'
import { useBuckets, useStatus, useTraffic } from '../../api/service-queries.ts'
import { formatAmount, formatBytes, formatCount } from '../../format/bytes.ts'
import { formatDuration } from '../../format/time.ts'
import { sumOf } from '../traffic/traffic-series.ts'
import { healthOf } from './health.ts'
import classes from './health-section.module.css'

const icons = { good: IconCircleCheck, watch: IconAlertTriangle, bad: IconCircleX } as const

/** The state of the service in a line, and its figures. */
export function HealthSection() {
  const status = useStatus().data
  const points = useTraffic('hour').data?.points
  const lastHour = points && sumOf(points)
  const errors = lastHour && lastHour.refused + lastHour.failed
  return (
    <section className={classes.section} aria-label="Health">
      {status === undefined ? (
        <Skeleton height={44} />
      ) : (
        <State {...healthOf(status, lastHour)}>
          Bucketry {status.version}, up for {formatDuration(status.uptimeSeconds)}
        </State>
      )}
      <dl className={classes.figures}>
        <Figure name="Requests, last hour" value={lastHour && formatCount(lastHour.requests)} />
        <Figure
          name="Errors, last hour"
          value={
            errors !== undefined && (
              <Link href="/activity?what=failures" className={classes.link ?? ''}>
                {formatCount(errors)}
              </Link>
            )
          }
        />
        <Figure
          name="Transferred, last hour"
          value={lastHour && formatBytes(lastHour.receivedBytes + lastHour.sentBytes)}
        />
        <Stored />
      </dl>
    </section>
  )
}

interface StateProps extends ReturnType<typeof healthOf> {
  readonly children: ReactNode
}

function State({ level, title, reasons, children }: StateProps) {
  const Icon = icons[level]
  return (
    <Group wrap="nowrap" gap={12}>
      <Icon size={30} stroke={1.6} className={classes.icon} data-level={level} aria-hidden />
      <div>
        <Text fw={600}>{title}</Text>
        <Text size="sm" c="dimmed">
          {reasons.length > 0 ? `${reasons.join('. ')}.` : children}
        </Text>
      </div>
    </Group>
  )
}

function Stored() {
  const buckets = useBuckets().data?.buckets
  const sum = (name: 'objects' | 'bytes') =>
    buckets?.reduce((total, bucket: BucketStatus) => total + (bucket[name] ?? 0), 0) ?? 0
  const name = `Stored in ${formatAmount(buckets?.length ?? 0, 'bucket')}`
  return (
    <Figure
      name={name}
      value={
        buckets && (
          <span title={formatAmount(sum('objects'), 'object')}>{formatBytes(sum('bytes'))}</span>
        )
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
