import type { ShareReply } from '../../../src/dashboard/shares/share-schemas.ts'
import { formatAmount, formatCount } from '../format/bytes.ts'

type Kind = ShareReply['kind']

/** Why a share has ended, as a badge. */
export const endLabels: Readonly<Record<NonNullable<ShareReply['end']>, string>> = {
  revoked: 'revoked',
  expired: 'expired',
  used: 'used up',
  denied: 'no longer permitted',
}

export const kindLabels: Readonly<Record<Kind, string>> = {
  file: 'file',
  folder: 'folder',
  drop: 'uploads only',
}

const useNames: Readonly<Record<Kind, string>> = {
  file: 'download',
  folder: 'download',
  drop: 'uploaded file',
}

/** "2 of 3 downloads", "1 uploaded file". */
export function usesText({ kind, uses, maxUses }: Pick<ShareReply, 'kind' | 'uses' | 'maxUses'>) {
  const name = useNames[kind]
  if (maxUses === null) return formatAmount(uses, name)
  return `${formatCount(uses)} of ${formatAmount(maxUses, name)}`
}

/** What a share is for, without its bucket: the last name of its path. */
export function sharedName({ path, bucket }: Pick<ShareReply, 'path' | 'bucket'>): string {
  return path.replace(/\/$/, '').split('/').at(-1) || bucket
}
