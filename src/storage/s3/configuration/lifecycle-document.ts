import { dayMs, type LifecycleRule } from '../../buckets/lifecycle-rules.ts'
import type { Tags } from '../../drives/attributes.ts'
import {
  childText,
  malformed,
  onlyChild,
  parseXmlBody,
  refuseOtherElements,
  wholeNumber,
  type XmlElement,
} from '../body/xml-body.ts'
import { invalidArgument, S3Error } from '../errors.ts'
import type { XmlChildren, XmlValue } from '../reply/xml.ts'
import { checkedTags, objectTagLimits, parseTag, tagElements } from './tagging-document.ts'

/** S3 User Guide, "Lifecycle configuration elements": up to 1,000 rules. */
const maxRules = 1_000

/** API reference, LifecycleRule. */
const maxIdLength = 255

/** UTF-8 bytes, as a key. */
const maxPrefixBytes = 1_024

/** API reference, NoncurrentVersionExpiration. */
const maxNewerVersions = 100

/** Elements of S3 for other storage classes. */
const unsupported: readonly string[] = ['Transition', 'NoncurrentVersionTransition']

const sizeElements = ['ObjectSizeGreaterThan', 'ObjectSizeLessThan'] as const

/**
 * The rules of a LifecycleConfiguration
 * (https://docs.aws.amazon.com/AmazonS3/latest/API/API_PutBucketLifecycleConfiguration.html).
 *
 * @param newId generates the ID of a rule that has none, as S3 does
 * @param hasTags whether objects may have tags
 * @throws S3Error NotImplemented for transitions; MalformedXML, InvalidArgument and InvalidRequest, as S3
 */
export function parseLifecycle(
  body: Uint8Array,
  newId: () => string,
  hasTags: boolean,
): LifecycleRule[] {
  const root = parseXmlBody(body, 'LifecycleConfiguration')
  refuseOtherElements(root, ['Rule'])
  if (root.children.length === 0) throw malformed('LifecycleConfiguration has no Rule')
  if (root.children.length > maxRules) {
    throw new S3Error(
      'InvalidRequest',
      `The number of lifecycle rules must not exceed the allowed limit of ${maxRules} rules.`,
    )
  }
  const rules = root.children.map((element) => parseRule(element, newId))
  if (!hasTags && rules.some(({ tags }) => tags !== undefined)) throw notImplemented('Tag')
  const ids = new Set<string>()
  for (const { id } of rules) {
    if (ids.has(id)) {
      const message = 'Rule ID must be unique. Found same ID for more than one rule.'
      throw invalidArgument('ID', id, message)
    }
    ids.add(id)
  }
  return rules
}

/** The content of a LifecycleConfiguration, as the client wrote it. */
export function lifecycleContent(rules: readonly LifecycleRule[]): XmlChildren {
  return { Rule: rules.map(ruleContent) }
}

function ruleContent(rule: LifecycleRule): XmlValue {
  const { dateMs, abortUploadsDays, prefixForm, prefix } = rule
  const expiration = {
    Days: rule.days,
    Date: dateMs === undefined ? undefined : new Date(dateMs).toISOString(),
    ExpiredObjectDeleteMarker: rule.expiresMarkers,
  }
  const noncurrent = {
    NoncurrentDays: rule.noncurrentDays,
    NewerNoncurrentVersions: rule.newerNoncurrentVersions,
  }
  return {
    ID: rule.id,
    ...(prefixForm === 'rule' ? { Prefix: prefix } : { Filter: filterContent(rule) }),
    Status: rule.isEnabled ? 'Enabled' : 'Disabled',
    Expiration: Object.values(expiration).some((value) => value !== undefined)
      ? expiration
      : undefined,
    NoncurrentVersionExpiration: rule.noncurrentDays === undefined ? undefined : noncurrent,
    AbortIncompleteMultipartUpload:
      abortUploadsDays === undefined ? undefined : { DaysAfterInitiation: abortUploadsDays },
  }
}

function filterContent({ prefixForm, prefix, tags = {}, ...rule }: LifecycleRule): XmlChildren {
  const sizes = { ObjectSizeGreaterThan: rule.largerThan, ObjectSizeLessThan: rule.smallerThan }
  const conditions = { ...sizes, Tag: tagElements(tags) }
  // Terraform waits until it gets the document that it has sent, even with an empty Prefix.
  if (prefixForm === 'and') return { And: { Prefix: prefix, ...conditions } }
  if (prefixForm === 'and-without-prefix') return { And: conditions }
  return prefixForm === 'tag' || prefixForm === 'size' || prefixForm === 'none'
    ? conditions
    : { Prefix: prefix }
}

function parseRule(element: XmlElement, newId: () => string): LifecycleRule {
  const refused = element.children.find(({ name }) => unsupported.includes(name))
  if (refused !== undefined) throw notImplemented(refused.name)
  refuseOtherElements(element, [
    ...['ID', 'Status', 'Prefix', 'Filter', 'Expiration', 'NoncurrentVersionExpiration'],
    'AbortIncompleteMultipartUpload',
  ])
  const actions = {
    ...parseExpiration(element),
    ...parseNoncurrent(element),
    ...parseAbort(element),
  }
  if (Object.keys(actions).length === 0) {
    throw new S3Error('InvalidRequest', 'At least one action needs to be specified in a rule.')
  }
  const filter = parseFilter(element)
  if (filter.tags !== undefined && actions.expiresMarkers !== undefined) {
    const message = 'ExpiredObjectDeleteMarker cannot be specified with Tags.'
    throw new S3Error('InvalidRequest', message)
  }
  const ofObjects = filter.tags ?? filter.largerThan ?? filter.smallerThan
  if (ofObjects !== undefined && actions.abortUploadsDays !== undefined) {
    const what = filter.tags === undefined ? 'object sizes' : 'Tags'
    const message = `AbortIncompleteMultipartUpload cannot be specified with ${what}.`
    throw new S3Error('InvalidRequest', message)
  }
  return {
    id: parseId(childText(element, 'ID')) ?? newId(),
    ...filter,
    isEnabled: parseStatus(childText(element, 'Status')),
    ...actions,
  }
}

function parseId(text: string | undefined): string | undefined {
  if (text === undefined || text === '') return undefined
  if (text.length <= maxIdLength) return text
  const message = `ID length should not exceed allowed limit of ${maxIdLength}.`
  throw invalidArgument('ID', text, message)
}

function parseStatus(text: string | undefined): boolean {
  if (text === 'Enabled') return true
  if (text === 'Disabled') return false
  throw malformed('Status must be Enabled or Disabled')
}

type RuleSizes = Pick<LifecycleRule, 'largerThan' | 'smallerThan'>
type RuleFilter = Pick<LifecycleRule, 'prefix' | 'prefixForm' | 'tags'> & RuleSizes

/** S3 requires either `Filter` or the older `Prefix`. */
function parseFilter(element: XmlElement): RuleFilter {
  const filter = onlyChild(element, 'Filter')
  const older = childText(element, 'Prefix')
  if ((filter === undefined) === (older === undefined)) {
    throw malformed('a Rule needs either Filter or Prefix')
  }
  if (filter === undefined) return { prefix: checkPrefix(older ?? ''), prefixForm: 'rule' }
  refuseOtherElements(filter, ['Prefix', 'Tag', 'And', ...sizeElements])
  const [only, ...others] = filter.children
  if (others.length > 0) throw malformed('a Filter has one condition, or several in And')
  if (only === undefined) return { prefix: '', prefixForm: 'none' }
  if (only.name === 'Prefix') return { prefix: checkPrefix(only.text), prefixForm: 'filter' }
  if (only.name === 'Tag') return { prefix: '', prefixForm: 'tag', tags: tagsOf([only]) }
  if (only.name === 'And') return parseAnd(only)
  return { prefix: '', prefixForm: 'size', ...parseSizes(filter) }
}

function parseAnd(and: XmlElement): RuleFilter {
  refuseOtherElements(and, ['Prefix', 'Tag', ...sizeElements])
  const tags = and.children.filter(({ name }) => name === 'Tag')
  const sizes = parseSizes(and)
  if (tags.length + Object.keys(sizes).length === 0) throw malformed('And needs several conditions')
  const prefix = childText(and, 'Prefix')
  return {
    prefix: checkPrefix(prefix ?? ''),
    prefixForm: prefix === undefined ? 'and-without-prefix' : 'and',
    ...(tags.length > 0 && { tags: tagsOf(tags) }),
    ...sizes,
  }
}

function parseSizes(element: XmlElement): RuleSizes {
  const [largerThan, smallerThan] = sizeElements.map((name) => {
    const text = childText(element, name)?.trim()
    if (text === undefined) return undefined
    // S3's schema has 64 bits here.
    if (/^\d{1,15}$/.test(text)) return Number(text)
    throw malformed(`${name} must be a whole number`)
  })
  if (largerThan !== undefined && smallerThan !== undefined && largerThan >= smallerThan) {
    const message = 'ObjectSizeGreaterThan must be less than ObjectSizeLessThan.'
    throw new S3Error('InvalidRequest', message)
  }
  return {
    ...(largerThan !== undefined && { largerThan }),
    ...(smallerThan !== undefined && { smallerThan }),
  }
}

function tagsOf(elements: readonly XmlElement[]): Tags {
  return checkedTags(elements.map(parseTag), objectTagLimits)
}

function checkPrefix(prefix: string): string {
  if (Buffer.byteLength(prefix) <= maxPrefixBytes) return prefix
  throw new S3Error('InvalidRequest', `The maximum size of a prefix is ${maxPrefixBytes}.`)
}

/** API reference, LifecycleExpiration: ExpiredObjectDeleteMarker "cannot be specified with Days or Date". */
function parseExpiration(
  element: XmlElement,
): Pick<LifecycleRule, 'days' | 'dateMs' | 'expiresMarkers'> {
  const expiration = onlyChild(element, 'Expiration')
  if (expiration === undefined) return {}
  refuseOtherElements(expiration, ['Days', 'Date', 'ExpiredObjectDeleteMarker'])
  if (expiration.children.length !== 1) {
    throw malformed('Expiration needs either Days, Date or ExpiredObjectDeleteMarker')
  }
  const days = childText(expiration, 'Days')
  if (days !== undefined) return { days: positive('Days', 'Expiration', days) }
  const date = childText(expiration, 'Date')
  if (date !== undefined) return { dateMs: parseDate(date) }
  return { expiresMarkers: parseBoolean(expiration, 'ExpiredObjectDeleteMarker') }
}

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_NoncurrentVersionExpiration.html. AWS requires NoncurrentDays. */
function parseNoncurrent(
  element: XmlElement,
): Pick<LifecycleRule, 'noncurrentDays' | 'newerNoncurrentVersions'> {
  const action = 'NoncurrentVersionExpiration'
  const noncurrent = onlyChild(element, action)
  if (noncurrent === undefined) return {}
  refuseOtherElements(noncurrent, ['NoncurrentDays', 'NewerNoncurrentVersions'])
  const days = childText(noncurrent, 'NoncurrentDays')
  if (days === undefined) throw malformed(`${action} has no NoncurrentDays`)
  const noncurrentDays = positive('NoncurrentDays', action, days)
  const name = 'NewerNoncurrentVersions'
  const newer = childText(noncurrent, name)
  if (newer === undefined) return { noncurrentDays }
  // As AWS, which does not take it with the older element Prefix.
  if (onlyChild(element, 'Filter') === undefined) throw malformed(`${name} needs a Filter`)
  const newerNoncurrentVersions = positive(name, action, newer)
  if (newerNoncurrentVersions <= maxNewerVersions)
    return { noncurrentDays, newerNoncurrentVersions }
  const message = `'${name}' for ${action} action must not exceed ${maxNewerVersions}`
  throw invalidArgument(name, newer.trim(), message)
}

/** XML Schema's boolean. */
function parseBoolean(element: XmlElement, name: string): boolean {
  const text = childText(element, name)?.trim()
  if (text === 'true' || text === '1') return true
  if (text === 'false' || text === '0') return false
  throw malformed(`${name} must be true or false`)
}

function parseAbort(element: XmlElement): Pick<LifecycleRule, 'abortUploadsDays'> {
  const name = 'AbortIncompleteMultipartUpload'
  const abort = onlyChild(element, name)
  if (abort === undefined) return {}
  refuseOtherElements(abort, ['DaysAfterInitiation'])
  const days = childText(abort, 'DaysAfterInitiation')
  if (days === undefined) throw malformed(`${name} has no DaysAfterInitiation`)
  return { abortUploadsDays: positive('DaysAfterInitiation', name, days) }
}

function positive(name: string, action: string, text: string): number {
  const days = wholeNumber(name, text)
  if (days > 0) return days
  const message = `'${name}' for ${action} action must be a positive integer`
  throw invalidArgument(name, text.trim(), message)
}

/** ISO 8601 in the form of XML Schema's date or dateTime. The default zone is UTC. */
function parseDate(text: string): number {
  const trimmed = text.trim()
  const match = /^(\d{4}-\d\d-\d\d)(?:T(\d\d:\d\d:\d\d(?:\.\d{1,9})?))?(Z|[+-]\d\d:\d\d)?$/.exec(
    trimmed,
  )
  const [, day = '', time = '00:00:00', zone = 'Z'] = match ?? []
  const atMs = Date.parse(`${day}T${time}${zone}`)
  if (match === null || Number.isNaN(atMs) || atMs < 0 || !isCalendarDay(day)) {
    throw malformed('Date must be a date such as 2030-01-31T00:00:00Z')
  }
  if (atMs % dayMs !== 0) throw invalidArgument('Date', trimmed, "'Date' must be at midnight GMT")
  return atMs
}

/** Date.parse reads 30 February as 2 March. */
function isCalendarDay(day: string): boolean {
  return new Date(`${day}T00:00:00Z`).toISOString().startsWith(day)
}

function notImplemented(element: string): S3Error {
  return new S3Error(
    'NotImplemented',
    `The lifecycle element ${element} is not implemented. Use Expiration, NoncurrentVersionExpiration or AbortIncompleteMultipartUpload.`,
  )
}
