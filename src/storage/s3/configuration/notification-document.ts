import {
  doOverlap,
  isEventPattern,
  type RuleKind,
  type TargetName,
  targetNames,
  type WrittenRule,
} from '../../buckets/notification-rules.ts'
import {
  childText,
  childTexts,
  malformed,
  onlyChild,
  parseXmlBody,
  refuseOtherElements,
  type XmlElement,
} from '../body/xml-body.ts'
import { invalidArgument, shortened } from '../errors.ts'
import type { XmlChildren } from '../reply/xml.ts'

/** User Guide, "Amazon S3 event notifications": up to 100 configurations. */
const maxRules = 100
const maxIdLength = 255
/** UTF-8 bytes, as a key. */
const maxFilterBytes = 1_024

/** The element that names the target, by kind of rule. */
const arnElements: Readonly<Record<RuleKind, string>> = {
  Queue: 'Queue',
  Topic: 'Topic',
  CloudFunction: 'CloudFunction',
}
const kinds = Object.keys(arnElements) as readonly RuleKind[]

interface NotificationOptions {
  /** Whether the gateway has this target. */
  readonly known: Readonly<Record<TargetName, boolean>>
  /** Generates the ID of a rule that has none, as S3 does. */
  readonly newId: () => string
}

/**
 * The rules of a NotificationConfiguration.
 *
 * @throws S3Error MalformedXML; InvalidArgument for an unknown target or event, and for overlapping rules
 */
export function parseNotification(body: Uint8Array, options: NotificationOptions): WrittenRule[] {
  const root = parseXmlBody(body, 'NotificationConfiguration')
  const names = kinds.map((kind) => `${kind}Configuration`)
  refuseOtherElements(root, names)
  if (root.children.length > maxRules) throw malformed(`more than ${maxRules} configurations`)
  const rules = root.children.map((element) => parseRule(element, options))
  for (const [position, rule] of rules.entries()) {
    for (const other of rules.slice(0, position)) {
      if (other.id === rule.id) {
        throw invalidArgument('Id', rule.id, 'Configuration IDs must be unique.')
      }
      if (other.target === rule.target && doOverlap(other, rule)) {
        const message =
          'Configurations overlap. Configurations on the same bucket cannot share a common event type.'
        throw invalidArgument('Id', rule.id, message)
      }
    }
  }
  return rules
}

/** The content of a NotificationConfiguration, as the client wrote it. */
export function notificationContent(rules: readonly WrittenRule[]): XmlChildren {
  const ofKind = (kind: RuleKind) => rules.filter((rule) => rule.kind === kind).map(ruleContent)
  return Object.fromEntries(kinds.map((kind) => [`${kind}Configuration`, ofKind(kind)]))
}

function ruleContent({ kind, id, arn, events, filters }: WrittenRule): XmlChildren {
  const rules = filters.map(({ name, value }) => ({ Name: name, Value: value }))
  return {
    Id: id,
    [arnElements[kind]]: arn,
    Event: events,
    ...(rules.length > 0 && { Filter: { S3Key: { FilterRule: rules } } }),
  }
}

function parseRule(element: XmlElement, { known, newId }: NotificationOptions): WrittenRule {
  const kind = kinds.find((name) => element.name === `${name}Configuration`) ?? 'Queue'
  refuseOtherElements(element, ['Id', 'Event', 'Filter', arnElements[kind]])
  const arn = childText(element, arnElements[kind])?.trim() ?? ''
  const target = targetOf(arn)
  if (target === undefined || !known[target]) {
    const message =
      'Unable to validate the following destination configurations: the gateway does not have this target. Its ARNs end in :webhook (if NOTIFY_WEBHOOK is set) and :redis (if NOTIFY_REDIS is set).'
    throw invalidArgument(arnElements[kind], arn, message)
  }
  const events = childTexts(element, 'Event')
  if (events.length === 0) throw malformed(`${element.name} has no Event`)
  const unknown = events.find((event) => !isEventPattern(event))
  if (unknown !== undefined) {
    throw invalidArgument(
      'Event',
      shortened(unknown),
      'The event is not supported for notifications',
    )
  }
  const id = childText(element, 'Id') || newId()
  if (id.length > maxIdLength) throw invalidArgument('Id', id, 'The Id is too long.')
  return { kind, id, arn, target, events: [...new Set(events)], ...parseFilter(element) }
}

/** The target that the last part of an ARN names. Clients check the other parts, each in its own way, so any is accepted. */
function targetOf(arn: string): TargetName | undefined {
  const parts = arn.split(':')
  if (arn.length > 256 || parts.length !== 6 || parts[0] !== 'arn') return undefined
  return targetNames.find((name) => name === parts[5])
}

function parseFilter(element: XmlElement): Pick<WrittenRule, 'prefix' | 'suffix' | 'filters'> {
  const filter = onlyChild(element, 'Filter')
  if (filter !== undefined) refuseOtherElements(filter, ['S3Key'])
  const key = filter && onlyChild(filter, 'S3Key')
  if (key !== undefined) refuseOtherElements(key, ['FilterRule'])
  const filters = (key?.children ?? []).map(parseFilterRule)
  const found = new Map<string, string>()
  for (const { name, value } of filters) {
    if (found.has(name.toLowerCase())) {
      const message = 'Cannot specify more than one filter rule of the same name.'
      throw invalidArgument('FilterRule.Name', name, message)
    }
    found.set(name.toLowerCase(), value)
  }
  return { prefix: found.get('prefix') ?? '', suffix: found.get('suffix') ?? '', filters }
}

function parseFilterRule(rule: XmlElement): WrittenRule['filters'][number] {
  refuseOtherElements(rule, ['Name', 'Value'])
  const name = childText(rule, 'Name') ?? ''
  const value = childText(rule, 'Value') ?? ''
  // Upper or lower case: AWS documents `prefix`, but returns `Prefix`.
  if (!/^(prefix|suffix)$/i.test(name)) {
    const message = 'filter rule name must be either prefix or suffix'
    throw invalidArgument('FilterRule.Name', name, message)
  }
  if (Buffer.byteLength(value) > maxFilterBytes) {
    const message = 'Size of filter rule value cannot exceed 1024 bytes in UTF-8 representation'
    throw invalidArgument('FilterRule.Value', value, message)
  }
  return { name, value }
}
