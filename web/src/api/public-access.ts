import type { StatusReply } from '../../../src/dashboard/management/management-schemas.ts'

type Status = Pick<StatusReply, 'settings'> | undefined

/**
 * What everyone can do in a public bucket without a key. Depends on PUBLIC_LIST, which counts as true until it is
 * known.
 */
export function publicAccess(status: Status): string {
  return isListed(status)
    ? 'Everyone can list the names of all files and download them.'
    : 'Everyone who knows or guesses the name of a file can download it.'
}

/** The same, followed by the setting that decides it. */
export function publicAccessBySetting(status: Status): string {
  const setting = isListed(status)
    ? 'PUBLIC_LIST=false would keep the names of all public buckets private.'
    : 'PUBLIC_LIST=false keeps the list of names private.'
  return `${publicAccess(status)} ${setting}`
}

/** What a bucket policy lets everyone do (`openByPolicy`); '' if nothing. */
export function accessByPolicy(openByPolicy: readonly string[]): string {
  if (openByPolicy.length === 0) return ''
  return `A bucket policy lets everyone ${openByPolicy.join(', ')}.`
}

const privateFiles = 'Files that a client made private with an ACL stay private.'

/** The effect of the ACLs that clients set, which the setting ACLS decides. */
export function aclEffect(status: Status): string {
  const mode = status?.settings.find(({ name }) => name === 'ACLS')?.value
  if (mode === 'ignore') return 'ACLs that clients set have no effect (ACLS=ignore).'
  if (mode === 'object') return privateFiles
  const byClients = 'Clients can change this switch with PutBucketAcl (ACLS=bucket).'
  return mode === 'bucket' ? `${byClients} ${privateFiles}` : ''
}

function isListed(status: Status): boolean {
  return status?.settings.find(({ name }) => name === 'PUBLIC_LIST')?.value !== 'false'
}
