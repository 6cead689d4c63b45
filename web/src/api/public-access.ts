import type { StatusReply } from '../../../src/dashboard/management/management-schemas.ts'
import { bucketsTexts } from '../texts/buckets.ts'

type Status = Pick<StatusReply, 'settings'> | undefined

/**
 * What everyone can do in a public bucket without a key. Depends on PUBLIC_LIST, which counts as true until it is
 * known.
 */
export function publicAccess(status: Status): string {
  return isListed(status) ? bucketsTexts.access.listed : bucketsTexts.access.byName
}

/** The setting that decides it, and what its other value does. */
export function listSetting(status: Status): string {
  return isListed(status) ? bucketsTexts.access.couldHide : bucketsTexts.access.hides
}

/** What a bucket policy lets everyone do (`openByPolicy`); '' if nothing. */
export function accessByPolicy(openByPolicy: readonly string[]): string {
  if (openByPolicy.length === 0) return ''
  return bucketsTexts.access.policy(openByPolicy.join(', '))
}

const privateFiles = bucketsTexts.access.privateFiles

/** The effect of the ACLs that clients set, which the setting ACLS decides. */
export function aclEffect(status: Status): string {
  const mode = status?.settings.find(({ name }) => name === 'ACLS')?.value
  if (mode === 'ignore') return bucketsTexts.access.aclsIgnored
  if (mode === 'object') return privateFiles
  const byClients = bucketsTexts.access.aclsSwitch
  return mode === 'bucket' ? `${byClients} ${privateFiles}` : ''
}

function isListed(status: Status): boolean {
  return status?.settings.find(({ name }) => name === 'PUBLIC_LIST')?.value !== 'false'
}
