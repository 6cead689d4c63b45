/**
 * The names of events in messages. Configurations use them with the prefix `s3:`
 * (https://docs.aws.amazon.com/AmazonS3/latest/userguide/notification-how-to-event-types-and-destinations.html).
 */
const eventNames = [
  'ObjectCreated:Put',
  'ObjectCreated:Post',
  'ObjectCreated:Copy',
  'ObjectCreated:CompleteMultipartUpload',
  'ObjectRemoved:Delete',
  'ObjectRemoved:DeleteMarkerCreated',
  'LifecycleExpiration:Delete',
  'LifecycleExpiration:DeleteMarkerCreated',
] as const
export type EventName = (typeof eventNames)[number]

/** The targets of events, by the end of their ARNs. */
export const targetNames = ['webhook', 'redis'] as const
export type TargetName = (typeof targetNames)[number]

/** The kinds of configurations that S3 clients write. All of them can name any target. */
export type RuleKind = 'Queue' | 'Topic' | 'CloudFunction'

/** Which events of a bucket go to a target. */
export interface NotificationRule {
  readonly id: string
  readonly target: TargetName
  /** `s3:ObjectCreated:Put`, or `s3:ObjectCreated:*`. */
  readonly events: readonly string[]
  readonly prefix: string
  readonly suffix: string
}

/** A rule as a client wrote it, so that tools that compare it with their own find no difference. */
export interface WrittenRule extends NotificationRule {
  readonly kind: RuleKind
  readonly arn: string
  /** The source of prefix and suffix: names in any case, values that may be empty. */
  readonly filters: readonly { readonly name: string; readonly value: string }[]
}

/** Whether this is the name of an event, or a pattern for all events of a type. */
export function isEventPattern(pattern: string): boolean {
  return eventNames.some((name) => isNamedBy(pattern, name))
}

/** The rules for this event of this key. */
export function rulesFor<Rule extends NotificationRule>(
  rules: readonly Rule[],
  key: string,
  event: EventName,
): readonly Rule[] {
  return rules.filter((rule) => {
    const { events, prefix, suffix } = rule
    const filters = decodedFilters.get(rule) ?? [decoded(prefix), decoded(suffix)]
    decodedFilters.set(rule, filters)
    return (
      (key.startsWith(prefix) || key.startsWith(filters[0])) &&
      (key.endsWith(suffix) || key.endsWith(filters[1])) &&
      events.some((pattern) => isNamedBy(pattern, event))
    )
  })
}

/** Decoded once, because every change of an object reads them. */
const decodedFilters = new WeakMap<NotificationRule, readonly [prefix: string, suffix: string]>()

/** Whether two rules can match the same event, which S3 refuses. */
export function doOverlap(a: NotificationRule, b: NotificationRule): boolean {
  const wants = ({ events }: NotificationRule, name: EventName) =>
    events.some((pattern) => isNamedBy(pattern, name))
  return (
    eventNames.some((name) => wants(a, name) && wants(b, name)) &&
    (a.prefix.startsWith(b.prefix) || b.prefix.startsWith(a.prefix)) &&
    (a.suffix.endsWith(b.suffix) || b.suffix.endsWith(a.suffix))
  )
}

function isNamedBy(pattern: string, name: EventName): boolean {
  return pattern === `s3:${name}` || pattern === `s3:${name.slice(0, name.indexOf(':'))}:*`
}

/**
 * AWS expects filters in the encoding of keys in events, with `+` for a space (User Guide, "Configuring event
 * notifications using object key name filtering"). Some clients do not encode them.
 */
function decoded(filter: string): string {
  try {
    return decodeURIComponent(filter.replaceAll('+', ' '))
  } catch {
    return filter
  }
}
