/**
 * Sub-resources of S3 that this service recognises only to refuse them. They must never be treated
 * as an operation on the object itself: `PUT /b/k?acl` is not a PutObject. Reads with a fixed reply
 * are in operations/subresource-defaults.ts.
 */
export const bucketSubresources: ReadonlySet<string> = new Set([
  'accelerate',
  'abac',
  'acl',
  'analytics',
  'cors',
  'encryption',
  'intelligent-tiering',
  'inventory',
  'lifecycle',
  'logging',
  'metadataConfiguration',
  'metadataInventoryTable',
  'metadataJournalTable',
  'metadataTable',
  'metrics',
  'notification',
  'object-lock',
  'ownershipControls',
  'policy',
  'policyStatus',
  'publicAccessBlock',
  'replication',
  'requestPayment',
  'session',
  'tagging',
  'versioning',
  'versions',
  'website',
])

export const objectSubresources: ReadonlySet<string> = new Set([
  'acl',
  'annotation',
  'encryption',
  'legal-hold',
  'renameObject',
  'restore',
  'retention',
  'select',
  'tagging',
  'torrent',
])

/**
 * Sub-resources of an object that have one method. Other methods are refused: `DELETE /b/k?uploads`
 * must not delete the object.
 */
export const methodOfSubresource: ReadonlyMap<string, string> = new Map([
  ['attributes', 'GET'],
  ['uploads', 'POST'],
])
