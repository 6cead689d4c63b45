/** The documents of PutPublicAccessBlock, PutBucketOwnershipControls and PutBucketVersioning. */
import type { PublicAccessBlock } from '../../buckets/bucket-options.ts'
import type { VersioningStatus } from '../../buckets/bucket-versioning.ts'
import {
  childText,
  malformed,
  onlyChild,
  parseXmlBody,
  refuseOtherElements,
  type XmlElement,
} from '../body/xml-body.ts'
import { notImplemented, shortened } from '../errors.ts'

/** AWS's name of each field. */
const blockNames = {
  blockPublicAcls: 'BlockPublicAcls',
  ignorePublicAcls: 'IgnorePublicAcls',
  blockPublicPolicy: 'BlockPublicPolicy',
  restrictPublicBuckets: 'RestrictPublicBuckets',
} as const satisfies Record<keyof PublicAccessBlock, string>

const blockFields = Object.entries(blockNames) as [keyof PublicAccessBlock, string][]

/** @throws S3Error MalformedXML */
export function parsePublicAccessBlock(body: Uint8Array): PublicAccessBlock {
  const root = parseXmlBody(body, 'PublicAccessBlockConfiguration')
  refuseOtherElements(root, Object.values(blockNames))
  const fields = blockFields.map(([field, name]) => [field, isTrue(root, name)])
  return Object.fromEntries(fields) as unknown as PublicAccessBlock
}

/** The content of a PublicAccessBlockConfiguration. */
export function publicAccessBlockContent(block: PublicAccessBlock): Record<string, boolean> {
  return Object.fromEntries(blockFields.map(([field, name]) => [name, block[field]]))
}

function isTrue(root: XmlElement, name: string): boolean {
  const text = onlyChild(root, name)?.text.trim().toLowerCase() ?? 'false'
  if (text === 'true' || text === 'false') return text === 'true'
  throw malformed(`${name} must be true or false`)
}

/** API reference, OwnershipControlsRule. */
export const ownerships: ReadonlySet<string> = new Set([
  'BucketOwnerEnforced',
  'BucketOwnerPreferred',
  'ObjectWriter',
])

/** @throws S3Error MalformedXML */
export function parseOwnershipControls(body: Uint8Array): string {
  const root = parseXmlBody(body, 'OwnershipControls')
  refuseOtherElements(root, ['Rule'])
  const rule = onlyChild(root, 'Rule')
  if (rule === undefined) throw malformed('OwnershipControls has no Rule')
  refuseOtherElements(rule, ['ObjectOwnership'])
  const ownership = childText(rule, 'ObjectOwnership')?.trim() ?? ''
  if (ownerships.has(ownership)) return ownership
  throw malformed(`ObjectOwnership must be one of ${[...ownerships].join(', ')}`)
}

/**
 * The status that a VersioningConfiguration requests.
 *
 * @throws S3Error MalformedXML; NotImplemented for MFA delete and MinIO's extensions
 */
export function parseVersioning(body: Uint8Array): VersioningStatus {
  const root = parseXmlBody(body, 'VersioningConfiguration')
  const ofMinio = root.children.find(({ name }) => /^Exclude(?:dPrefixes|Folders)$/.test(name))
  if (ofMinio !== undefined) throw notImplemented(ofMinio.name)
  refuseOtherElements(root, ['Status', 'MfaDelete'])
  const status = childText(root, 'Status')?.trim()
  const mfaDelete = childText(root, 'MfaDelete')?.trim() ?? 'Disabled'
  if (status !== 'Enabled' && status !== 'Suspended') {
    throw malformed(`Status must be Enabled or Suspended, not ${shortened(status ?? '')}`)
  }
  if (mfaDelete === 'Disabled') return status
  if (mfaDelete !== 'Enabled') {
    throw malformed(`MfaDelete must be Enabled or Disabled, not ${shortened(mfaDelete)}`)
  }
  throw notImplemented('MfaDelete. Use Object Lock to protect versions from deletion.')
}
