/** What a store may lack, as the reply to a request that needs it names it. */
export const storeAbilities = {
  create: 'If-None-Match of PutObject',
  replace: 'If-Match of PutObject',
  createUpload: 'If-None-Match of CompleteMultipartUpload',
  replaceUpload: 'If-Match of CompleteMultipartUpload',
  createCopy: 'If-None-Match of CopyObject',
  replaceCopy: 'If-Match of CopyObject',
  removeMatching: 'If-Match of DeleteObject',
  copy: 'CopyObject with If-Match of its source',
  copyPart: 'UploadPartCopy with If-Match of its source',
  checksums: 'checksums of objects',
  fewerParts: 'CompleteMultipartUpload without some of the parts',
  partEtags: 'the MD5 of a part as its ETag',
  tags: 'tags of objects',
  wholeBodies: 'refusal of a body that breaks off',
  startAfter: 'start-after of ListObjectsV2',
  startInFolder: 'start-after of a key in a folder',
  exactKeys: 'keys with //, /./ or /../ as they are',
  leadingSlashes: 'keys with / before them as they are',
  backslashes: 'keys with a backslash as they are',
} as const

export type StoreAbility = keyof typeof storeAbilities
export type Abilities = Readonly<Record<StoreAbility, boolean>>

/** The conditions of S3 for a write (API reference, PutObject). */
export interface NativeConditions {
  readonly IfMatch?: string
  readonly IfNoneMatch?: string
}
