/** The documents of Object Lock (https://docs.aws.amazon.com/AmazonS3/latest/userguide/object-lock.html). */
import type { ObjectLock } from '../../buckets/bucket-options.ts'
import { type DefaultRetention, daysOfUnit } from '../../buckets/default-retention.ts'
import type { Retention } from '../../drives/attributes.ts'
import {
  childText,
  malformed,
  onlyChild,
  parseXmlBody,
  refuseOtherElements,
  wholeNumber,
  type XmlElement,
} from '../body/xml-body.ts'
import { S3Error } from '../errors.ts'
import { parseIsoTime } from '../headers/dates.ts'
import type { XmlChildren } from '../reply/xml.ts'

/** User Guide, "Object Lock considerations": 100 years. */
const maxDays = 36_500

/** @throws S3Error MalformedXML, InvalidRetentionPeriod */
export function parseObjectLock(body: Uint8Array): ObjectLock {
  const root = parseXmlBody(body, 'ObjectLockConfiguration')
  refuseOtherElements(root, ['ObjectLockEnabled', 'Rule'])
  if (childText(root, 'ObjectLockEnabled')?.trim() !== 'Enabled') {
    throw malformed('ObjectLockEnabled must be Enabled')
  }
  const rule = onlyChild(root, 'Rule')
  if (rule === undefined) return {}
  refuseOtherElements(rule, ['DefaultRetention'])
  const retention = onlyChild(rule, 'DefaultRetention')
  if (retention === undefined) throw malformed('Rule has no DefaultRetention')
  return { defaultRetention: parseDefault(retention) }
}

function parseDefault(element: XmlElement): DefaultRetention {
  refuseOtherElements(element, ['Mode', 'Days', 'Years'])
  const mode = parseMode(element)
  const [period, another] = (['Days', 'Years'] as const).flatMap((unit) => {
    const text = childText(element, unit)
    return text === undefined ? [] : [{ unit, count: wholeNumber(unit, text) }]
  })
  if (period === undefined || another !== undefined) {
    throw malformed('DefaultRetention needs either Days or Years')
  }
  const { unit, count } = period
  if (count >= 1 && count * daysOfUnit[unit] <= maxDays) return { mode, unit, count }
  // AWS answers InvalidArgument, which its documentation does not say. Ceph and its test suite have this code.
  const message =
    count < 1
      ? 'Default retention period must be a positive integer value.'
      : 'Default retention period too large.'
  const elements = { ArgumentName: unit, ArgumentValue: String(count) }
  throw new S3Error('InvalidRetentionPeriod', message, { elements })
}

function parseMode(element: XmlElement): Retention['mode'] {
  const mode = childText(element, 'Mode')?.trim()
  if (mode === 'GOVERNANCE' || mode === 'COMPLIANCE') return mode
  throw malformed('Mode must be GOVERNANCE or COMPLIANCE')
}

export function objectLockContent({ defaultRetention }: ObjectLock): XmlChildren {
  const enabled = { ObjectLockEnabled: 'Enabled' }
  if (defaultRetention === undefined) return enabled
  const { mode, unit, count } = defaultRetention
  return { ...enabled, Rule: { DefaultRetention: { Mode: mode, [unit]: count } } }
}

/**
 * The Retention of a document; null for an empty one, which removes it (User Guide, "Object Lock", "Retention modes").
 *
 * @throws S3Error MalformedXML
 */
export function parseRetention(body: Uint8Array): Retention | null {
  const root = parseXmlBody(body, 'Retention')
  refuseOtherElements(root, ['Mode', 'RetainUntilDate'])
  if (root.children.length === 0) return null
  const untilMs = parseIsoTime(childText(root, 'RetainUntilDate')?.trim() ?? '')
  if (untilMs === undefined) throw malformed('RetainUntilDate must be a date in ISO 8601')
  return { mode: parseMode(root), untilMs }
}

export function retentionContent({ mode, untilMs }: Retention): XmlChildren {
  return { Mode: mode, RetainUntilDate: new Date(untilMs).toISOString() }
}

/** @throws S3Error MalformedXML */
export function parseLegalHold(body: Uint8Array): boolean {
  const root = parseXmlBody(body, 'LegalHold')
  refuseOtherElements(root, ['Status'])
  const status = childText(root, 'Status')?.trim()
  if (status === 'ON' || status === 'OFF') return status === 'ON'
  throw malformed('Status must be ON or OFF')
}
