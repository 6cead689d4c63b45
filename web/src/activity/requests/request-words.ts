/** What has happened, and the noun for the attempt: `Uploaded`, `Upload`. */
type Words = readonly [done: string, attempt: string]

/** By the name of the operation in S3, in the dashboard's API and in the API of models. */
const ofOperations: Readonly<Record<string, Words>> = {
  PutObject: ['Uploaded', 'Upload'],
  PostObject: ['Uploaded with a form', 'Upload with a form'],
  CompleteMultipartUpload: ['Uploaded', 'Upload'],
  CreateMultipartUpload: ['Began to upload', 'Upload'],
  UploadPart: ['Uploaded a part of', 'Upload'],
  UploadPartCopy: ['Copied a part of', 'Copy'],
  AbortMultipartUpload: ['Cancelled the upload of', 'Cancelling an upload'],
  abortUpload: ['Cancelled an upload', 'Cancelling an upload'],
  CopyObject: ['Copied to', 'Copy'],
  DeleteObject: ['Deleted', 'Deletion'],
  DeleteObjects: ['Deleted files in', 'Deletion of files'],
  GetObject: ['Downloaded', 'Download'],
  HeadObject: ['Looked up', 'Look-up'],
  GetObjectAttributes: ['Looked up', 'Look-up'],
  ListObjects: ['Listed', 'Listing'],
  ListObjectsV2: ['Listed', 'Listing'],
  ListObjectVersions: ['Listed versions in', 'Listing of versions'],
  ListBuckets: ['Listed the buckets', 'Listing of the buckets'],
  ListMultipartUploads: ['Listed open uploads in', 'Listing of open uploads'],
  ListParts: ['Listed parts of', 'Listing of parts'],
  HeadBucket: ['Looked up the bucket', 'Look-up of the bucket'],
  CreateBucket: ['Created the bucket', 'Creation of the bucket'],
  createBucket: ['Created a bucket', 'Creation of a bucket'],
  DeleteBucket: ['Removed the bucket', 'Removal of the bucket'],
  removeBucket: ['Removed the bucket', 'Removal of the bucket'],
  PutObjectTagging: ['Changed tags of', 'Change of tags'],
  DeleteObjectTagging: ['Removed tags of', 'Removal of tags'],
  PutObjectRetention: ['Changed the lock of', 'Change of the lock'],
  PutObjectLegalHold: ['Changed the lock of', 'Change of the lock'],
  PutBucketVersioning: ['Changed versions of', 'Change of versions'],
  PutBucketPolicy: ['Changed public access to', 'Change of public access'],
  DeleteBucketPolicy: ['Changed public access to', 'Change of public access'],
  changeBucket: ['Changed settings of', 'Change of settings'],
  createKey: ['Created an access key', 'Creation of an access key'],
  changeKey: ['Changed the access key', 'Change of the access key'],
  rotateKey: ['Replaced the secret of', 'Replacing a secret'],
  revokeKey: ['Deleted the access key', 'Deletion of the access key'],
  createModelKey: ['Created a model key', 'Creation of a model key'],
  changeModelKey: ['Changed the model key', 'Change of the model key'],
  deleteModelKey: ['Deleted the model key', 'Deletion of the model key'],
  createShare: ['Created a link', 'Creation of a link'],
  changeShare: ['Changed a link', 'Change of a link'],
  revokeShare: ['Ended a link', 'Ending a link'],
  share: ['Uploaded by link', 'Link'],
  createConnection: ['Added a model connection', 'Adding a model connection'],
  changeConnection: ['Changed a model connection', 'Change of a model connection'],
  deleteConnection: ['Removed a model connection', 'Removal of a model connection'],
  reorderConnections: ['Reordered model connections', 'Reordering model connections'],
  putRouting: ['Changed routes of models', 'Change of routes'],
  importRouting: ['Imported model settings', 'Import of model settings'],
  endModelPauses: ['Ended pauses of models', 'Ending pauses'],
  stopFileJob: ['Stopped work on files', 'Stopping work on files'],
  clearFailures: ['Cleared the failures', 'Clearing the failures'],
  login: ['Signed in', 'Sign-in'],
  logout: ['Signed out', 'Sign-out'],
  endSessions: ['Signed out everywhere', 'Sign-out everywhere'],
}

/** Of work on files, and of visits. */
const ofActions: Readonly<Record<string, Words>> = {
  move: ['Moved', 'Move'],
  copy: ['Copied', 'Copy'],
  trash: ['Moved to the trash', 'Deletion'],
  delete: ['Deleted permanently', 'Deletion'],
  restore: ['Restored', 'Restore'],
  undelete: ['Restored', 'Restore'],
  empty: ['Emptied the trash of', 'Emptying the trash'],
  erase: ['Deleted permanently', 'Deletion'],
  view: ['Opened by link', 'Link'],
}

/** Other operations, by the method: `PutBucketCors` changes a setting. */
const ofMethods: Readonly<Record<string, Words>> = {
  GET: ['Read', 'Read access'],
  HEAD: ['Read', 'Read access'],
  DELETE: ['Removed a setting of', 'Change of a setting'],
}

interface Described {
  readonly method: string
  readonly operation: string | null
  readonly action: string | null
  readonly status: number
}

/** What happened, in the words of people: `Uploaded`, `Upload refused`. */
export function eventText({ method, operation, action, status }: Described): string {
  const known = ofActions[action ?? ''] ?? ofOperations[operation ?? '']
  const [done, attempt] =
    known ??
    (operation === null
      ? (['Request', 'Request'] as const)
      : (ofMethods[method] ?? ['Changed a setting of', 'Change of a setting']))
  if (status < 400) return done
  return `${attempt} ${status < 500 ? 'refused' : 'failed'}`
}
