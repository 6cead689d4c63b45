/**
 * Reads a bucket policy (https://docs.aws.amazon.com/AmazonS3/latest/userguide/access-policy-language-overview.html). A
 * policy is stored as a whole or refused, so it is accepted only if all of it takes effect: what everyone may read, list,
 * write and delete.
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
/** Actions by lower-case name, because AWS ignores case. */
const actionsByName: ReadonlyMap<string, PolicyAction> = new Map(
  policyActions.map((action) => [action.toLowerCase(), action]),
)
const ofObjects: ReadonlySet<PolicyAction> = new Set<PolicyAction>([
  ...(['s3:GetObject', 's3:GetObjectVersion'] as const),
  ...(['s3:GetObjectTagging', 's3:GetObjectVersionTagging'] as const),
  ...(['s3:PutObject', 's3:DeleteObject'] as const),
  ...(['s3:AbortMultipartUpload', 's3:ListMultipartUploadParts'] as const),
])
/** Service authorization reference: those that have the condition key s3:prefix. */
const ofListings: ReadonlySet<PolicyAction> = new Set<PolicyAction>([
  's3:ListBucket',
  's3:ListBucketVersions',
])
const operators: ReadonlySet<string> = new Set<PrefixOperator>(['StringEquals', 'StringLike'])

type Fields = Readonly<Record<string, unknown>>

/**
 * @throws S3Error MalformedPolicy, which names the statement that cannot be stored
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

type Access = 'none' | 'download' | 'upload' | 'public'

/** The actions on the bucket and on its objects that `mc anonymous set` allows to everyone. */
const actionsOf: Readonly<Record<Access, readonly (readonly PolicyAction[])[]>> = {
  none: [],
  download: [['s3:GetBucketLocation', 's3:ListBucket'], ['s3:GetObject']],
  upload: [
    ['s3:GetBucketLocation', 's3:ListBucketMultipartUploads'],
    ['s3:AbortMultipartUpload', 's3:DeleteObject', 's3:ListMultipartUploadParts', 's3:PutObject'],
  ],
  public: [
    ['s3:GetBucketLocation', 's3:ListBucket', 's3:ListBucketMultipartUploads'],
    [
      ...(['s3:AbortMultipartUpload', 's3:DeleteObject', 's3:GetObject'] as const),
      ...(['s3:ListMultipartUploadParts', 's3:PutObject'] as const),
    ],
  ],
}

/** The policy that mc stores for an access, so that `mc anonymous get` names it. Undefined for none. */
export function policyOfAccess(access: Access, bucket: string): BucketPolicy | undefined {
  const arn = `arn:aws:s3:::${bucket}`
  const Statement = actionsOf[access].map((Action, level) => ({
    ...{ Effect: 'Allow', Principal: { AWS: ['*'] }, Action },
    Resource: [level === 0 ? arn : `${arn}/*`],
  }))
  if (Statement.length === 0) return undefined
  return parsePolicy(Buffer.from(JSON.stringify({ Version: '2012-10-17', Statement })), bucket)
}

/** Parses JSON without repeated names, which parsers read differently. */
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
  if (Effect !== 'Allow') throw refused(name, 'Effect is not Allow')
  if (!isEveryone(Principal)) throw refused(name, 'Principal is not "*"')
  // Without repetitions, because there is a grant for each action with each resource.
  const actions = unique(textsOf(Action, name, 'Action').map((action) => actionOf(action, name)))
  const arns = unique(textsOf(Resource, name, 'Resource'))
  const resources = arns.map((arn) => keysOf(arn, bucket, name))
  const prefixes = prefixesOf(Condition, name)
  if (prefixes !== undefined && actions.some((action) => !ofListings.has(action))) {
    throw refused(name, `only ${[...ofListings].join(' and ')} can have a Condition`)
  }
  const isUsed = (isOfObjects: boolean) =>
    actions.some((action) => ofObjects.has(action) === isOfObjects)
  if (resources.some(({ keys }) => !isUsed(keys !== undefined))) {
    throw refused(name, 'no Action applies to a Resource')
  }
  return actions.flatMap((action) => {
    const own = resources.filter(({ keys }) => (keys !== undefined) === ofObjects.has(action))
    if (own.length === 0) throw refused(name, `${action} applies to no Resource`)
    return own.map((resource) => ({ action, ...resource, ...(prefixes && { prefixes }) }))
  })
}

/** @throws S3Error for an action that is not one of `policyActions` */
function actionOf(text: string, statement: string): PolicyAction {
  const action = actionsByName.get(text.toLowerCase())
  if (action !== undefined) return action
  throw refused(statement, `the Action ${quoted(text)} is not one of ${policyActions.join(', ')}`)
}

/** The keys of a resource of the bucket; none if it is the bucket itself. */
function keysOf(arn: string, bucket: string, statement: string): Pick<PolicyGrant, 'keys'> {
  const ofBucket = `arn:aws:s3:::${bucket}`
  // A key cannot be compared with a policy variable.
  if (arn.includes('${')) throw refused(statement, 'a Resource has a policy variable')
  if (arn === ofBucket) return {}
  const keys = arn.startsWith(`${ofBucket}/`) ? arn.slice(ofBucket.length + 1) : ''
  if (keys !== '') return { keys }
  throw refused(statement, `the Resource ${quoted(arn)} is not ${ofBucket} or ${ofBucket}/…`)
}

function prefixesOf(condition: unknown, statement: string): PolicyGrant['prefixes'] {
  if (condition === undefined) return undefined
  if (!isObject(condition)) throw refused(statement, 'its Condition is not an object')
  const entries = Object.entries(condition).map(([operator, test]) => {
    const [key = '', ...others] = isObject(test) ? Object.keys(test) : []
    if (!operators.has(operator) || key.toLowerCase() !== 's3:prefix' || others.length > 0) {
      throw refused(statement, 'a Condition is not StringEquals or StringLike of s3:prefix')
    }
    const values = textsOf((test as Fields)[key], statement, 'Condition')
    if (values.some((value) => value.includes('${'))) {
      throw refused(statement, 'a Condition has a policy variable')
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

/** The texts of an element, which is a text or a list of texts. */
function textsOf(value: unknown, statement: string, element: string): readonly string[] {
  const texts = listOf(value)
  const isList = texts.length > 0 && texts.every((text) => typeof text === 'string')
  if (isList) return texts
  throw refused(statement, `its ${element} is not a string or a list of strings`)
}

function unique<Item>(items: readonly Item[]): readonly Item[] {
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
  if (name !== undefined) throw refused(where, `the element ${quoted(name)} is not supported`)
}

function refused(statement: string, why: string): S3Error {
  return malformed(
    `${statement} cannot be stored: ${why}. A policy can only let everyone read, list, write and delete; use access keys for anything else.`,
  )
}

function malformed(why: string, options?: ErrorOptions): S3Error {
  return new S3Error('MalformedPolicy', why, options)
}
