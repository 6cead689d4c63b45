import { encodeKey } from '../../platform/text/percent-encoding.ts'
import type { EventName } from '../buckets/notification-rules.ts'
import type { EventContext } from './event-context.ts'

export interface ObjectChange {
  readonly bucket: string
  readonly key: string
  readonly event: EventName
  /** Without quotes. Absent for a removal. */
  readonly etag?: string | undefined
  /** Absent for a removal, or if the size is not known yet. */
  readonly size?: number | undefined
  /** Of the written, removed or created version or delete marker. Absent in a bucket that never had versions. */
  readonly versionId?: string | undefined
}

/** What is known of an object after its change. Empty for a removal in a bucket that never had versions. */
export interface Outcome {
  readonly etag?: string
  readonly size?: number
  readonly versionId?: string
}

/** The facts of an event besides the object. */
export interface EventFacts {
  readonly context: EventContext
  readonly region: string
  /** The owner's access key. */
  readonly ownerId: string
  /** The ID of the rule that matches the event. */
  readonly ruleId: string
  readonly atMs: number
  readonly sequencer: string
}

/** AWS uses other versions only for lifecycle rules, and for events that are not sent here. */
const versions = { LifecycleExpiration: '2.3', other: '2.1' } as const

/**
 * A message with one record
 * (https://docs.aws.amazon.com/AmazonS3/latest/userguide/notification-content-structure.html).
 */
export function eventMessage(change: ObjectChange, facts: EventFacts) {
  const { bucket, key, event, etag, size, versionId } = change
  const { context, region, ownerId, ruleId, atMs, sequencer } = facts
  const isExpiry = event.startsWith('LifecycleExpiration')
  const record = {
    eventVersion: isExpiry ? versions.LifecycleExpiration : versions.other,
    eventSource: 'aws:s3',
    awsRegion: region,
    eventTime: new Date(atMs).toISOString(),
    eventName: event,
    userIdentity: { principalId: context.principalId },
    requestParameters: { sourceIPAddress: context.sourceIp },
    responseElements: {
      'x-amz-request-id': context.requestId,
      'x-amz-id-2': context.requestId,
    },
    s3: {
      s3SchemaVersion: '1.0',
      configurationId: ruleId,
      bucket: {
        name: bucket,
        ownerIdentity: { principalId: ownerId },
        arn: `arn:aws:s3:::${bucket}`,
      },
      object: {
        key: encodeEventKey(key),
        ...(size !== undefined && { size }),
        ...(etag !== undefined && { eTag: etag }),
        ...(versionId !== undefined && { versionId }),
        sequencer,
      },
    },
  }
  return { Records: [record] as const }
}

export type EventMessage = ReturnType<typeof eventMessage>

/** The change that a stored message describes. */
export function changeOf({ Records: [record] }: EventMessage): ObjectChange {
  const { bucket, object } = record.s3
  const key = decodeURIComponent(object.key.replaceAll('+', ' '))
  return {
    ...{ bucket: bucket.name, key, event: record.eventName, etag: object.eTag, size: object.size },
    ...(object.versionId !== undefined && { versionId: object.versionId }),
  }
}

/** The message with fields of the object that were not known before. */
export function withObject(
  { Records: [record] }: EventMessage,
  { etag, ...known }: Outcome,
): EventMessage {
  const { s3 } = record
  const object = { ...s3.object, ...known, ...(etag !== undefined && { eTag: etag }) }
  return { Records: [{ ...record, s3: { ...s3, object } }] }
}

/** As AWS: "the key is URL encoded", a space as `+`. */
export function encodeEventKey(key: string): string {
  return encodeKey(key).replaceAll('%20', '+')
}

/** Bits below the milliseconds, for changes of one process within a millisecond. */
const fractionBits = 20n

/**
 * Makes sequencers: hexadecimal texts of equal length, which increase with each event of a process, and with each
 * millisecond for all processes (AWS: "a greater hex value indicates the event that occurred later").
 */
export function sequencers(now: () => number): () => string {
  let last = 0n
  return () => {
    const current = BigInt(now()) << fractionBits
    last = current > last ? current : last + 1n
    return last.toString(16).toUpperCase().padStart(18, '0')
  }
}
