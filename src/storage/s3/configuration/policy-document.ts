/**
 * Reads a bucket policy (https://docs.aws.amazon.com/AmazonS3/latest/userguide/access-policy-language-overview.html). Only
 * what takes effect is accepted: what everyone may read and list. A policy is kept as a whole, or refused.
 */
import {
  type BucketPolicy,
  type PolicyAction,
  type PolicyGrant,
  type PrefixOperator,
  policyActions,
} from '../../buckets/bucket-policy.ts'
import { quoted, S3Error } from '../errors.ts'

/** User Guide, "Policies and permissions in Amazon S3": 20 KB. */
export const maxPolicyBytes = 20 * 1024

const versions: readonly unknown[] = [undefined, '2012-10-17', '2008-10-17']
/** AWS compares actions without regard to case. */
const actionsByName: ReadonlyMap<string, PolicyAction> = new Map(
  policyActions.map((action) => [action.toLowerCase(), action]),
)
const ofObjects: ReadonlySet<PolicyAction> = new Set(['s3:GetObject', 's3:GetObjectVersion'])
const operators: ReadonlySet<string> = new Set<PrefixOperator>(['StringEquals', 'StringLike'])

type Fields = Readonly<Record<string, unknown>>

/**
 * @throws S3Error MalformedPolicy that names the statement which cannot be kept
 */
export function parsePolicy(body: Uint8Array, bucket: string): BucketPolicy {
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(body)
  const document = parseObject(text)
  const { Version, Id, Statement, ...others } = document
  if (!versions.includes(Version)) throw malformed('Its Version is not 2012-10-17 or 2008-10-17.')
  if (Id !== undefined && typeof Id !== 'string') throw malformed('Its Id is not a string.')
  refuseOthers(others, 'The policy')
  if (Statement === undefined) throw malformed('It has no Statement.')
  const statements = listOf(Statement)
  return {
    text,
    grants: statements.flatMap((statement, index) => readStatement(statement, index, bucket)),
  }
}

/** JSON without a repeated name, which readers understand in different ways. */
function parseObject(text: string): Fields {
  let document: unknown
  let names = 0
  try {
    document = JSON.parse(text, (_, value: unknown) => {
      if (isObject(value)) names += Object.keys(value).length
      return value
    })
  } catch (cause) {
    throw malformed('Policies must be valid JSON.', { cause })
  }
  if (!isObject(document)) throw malformed('Policies must be valid JSON and begin with "{".')
  const strings = text.matchAll(/"(?:[^"\\]|\\.)*"([ \t\r\n]*:)?/g)
  const written = [...strings].filter(([, colon]) => colon !== undefined).length
  if (written !== names) throw malformed('A name is repeated in an object.')
  return document
}

function readStatement(statement: unknown, index: number, bucket: string): readonly PolicyGrant[] {
  const number = `Statement ${index + 1}`
  if (!isObject(statement)) throw malformed(`${number} is not an object.`)
  const { Sid, Effect, Principal, Action, Resource, Condition, ...others } = statement
  if (Sid !== undefined && typeof Sid !== 'string')
    throw malformed(`${number}: its Sid is not a string.`)
  const name = Sid === undefined ? number : `${number} (${quoted(Sid)})`
  refuseOthers(others, name)
  if (Effect !== 'Allow') throw unkept(name, 'Effect is not Allow')
  if (!isEveryone(Principal)) throw unkept(name, 'Principal is not "*"')
  // Each once: a grant is made of each action with each resource.
  const actions = once(textsOf(Action, name, 'Action').map((action) => actionOf(action, name)))
  const arns = once(textsOf(Resource, name, 'Resource'))
  const resources = arns.map((arn) => keysOf(arn, bucket, name))
  const prefixes = prefixesOf(Condition, name)
  if (prefixes !== undefined && actions.some((action) => action !== 's3:ListBucket')) {
    throw unkept(name, 'only s3:ListBucket can have a Condition')
  }
  const isUsed = (isOfObjects: boolean) =>
    actions.some((action) => ofObjects.has(action) === isOfObjects)
  if (resources.some(({ keys }) => !isUsed(keys !== undefined))) {
    throw unkept(name, 'a Resource is of no Action')
  }
  return actions.flatMap((action) => {
    const own = resources.filter(({ keys }) => (keys !== undefined) === ofObjects.has(action))
    if (own.length === 0) throw unkept(name, `${action} applies to no Resource`)
    return own.map((resource) => ({ action, ...resource, ...(prefixes && { prefixes }) }))
  })
}

/** @throws S3Error for an action that is not one of `policyActions` */
function actionOf(text: string, statement: string): PolicyAction {
  const action = actionsByName.get(text.toLowerCase())
  if (action !== undefined) return action
  throw unkept(statement, `the Action ${quoted(text)} is not one of ${policyActions.join(', ')}`)
}

/** The keys of a resource of the bucket; none if it is the bucket itself. */
function keysOf(arn: string, bucket: string, statement: string): Pick<PolicyGrant, 'keys'> {
  const ofBucket = `arn:aws:s3:::${bucket}`
  // Policy variables: not a text that a key can be compared with.
  if (arn.includes('${')) throw unkept(statement, 'a Resource has a policy variable')
  if (arn === ofBucket) return {}
  const keys = arn.startsWith(`${ofBucket}/`) ? arn.slice(ofBucket.length + 1) : ''
  if (keys !== '') return { keys }
  throw unkept(statement, `the Resource ${quoted(arn)} is not ${ofBucket} or ${ofBucket}/…`)
}

function prefixesOf(condition: unknown, statement: string): PolicyGrant['prefixes'] {
  if (condition === undefined) return undefined
  if (!isObject(condition)) throw unkept(statement, 'its Condition is not an object')
  const entries = Object.entries(condition).map(([operator, test]) => {
    const [key = '', ...others] = isObject(test) ? Object.keys(test) : []
    if (!operators.has(operator) || key.toLowerCase() !== 's3:prefix' || others.length > 0) {
      throw unkept(statement, 'a Condition is not StringEquals or StringLike of s3:prefix')
    }
    const values = textsOf((test as Fields)[key], statement, 'Condition')
    if (values.some((value) => value.includes('${'))) {
      throw unkept(statement, 'a Condition has a policy variable')
    }
    return [operator, values] as const
  })
  return entries.length === 0 ? undefined : Object.fromEntries(entries)
}

function isEveryone(principal: unknown): boolean {
  if (principal === '*') return true
  if (!isObject(principal)) return false
  const { AWS, ...others } = principal
  return Object.keys(others).length === 0 && listOf(AWS).length === 1 && listOf(AWS)[0] === '*'
}

/** The texts of an element, which has one or a list of them. */
function textsOf(value: unknown, statement: string, element: string): readonly string[] {
  const texts = listOf(value)
  const isList = texts.length > 0 && texts.every((text) => typeof text === 'string')
  if (isList) return texts
  throw unkept(statement, `its ${element} is not a string or a list of strings`)
}

function once<Item>(items: readonly Item[]): readonly Item[] {
  return [...new Set(items)]
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [value]
}

function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function refuseOthers(others: Fields, where: string): void {
  const [name] = Object.keys(others)
  if (name !== undefined) throw unkept(where, `the element ${quoted(name)} is not kept`)
}

function unkept(statement: string, why: string): S3Error {
  return malformed(
    `${statement} cannot be kept: ${why}. Only reading and listing by everyone can be allowed; use access keys for others.`,
  )
}

function malformed(why: string, options?: ErrorOptions): S3Error {
  return new S3Error('MalformedPolicy', why, options)
}
