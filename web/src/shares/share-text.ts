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

/** "12 views, 2 of 3 downloads" */
export function usesText({
  kind,
  uses,
  maxUses,
  views,
}: Pick<ShareReply, 'kind' | 'uses' | 'maxUses' | 'views'>) {
  const name = useNames[kind]
  const used =
    maxUses === null
      ? formatAmount(uses, name)
      : `${formatCount(uses)} of ${formatAmount(maxUses, name)}`
  return `${formatAmount(views, 'view')}, ${used}`
}

/** What a share is for, without its bucket: the last name of its path, or how much was chosen. */
export function sharedName({
  path,
  bucket,
  items,
}: Pick<ShareReply, 'path' | 'bucket' | 'items'>): string {
  if (items.length > 1) return formatAmount(items.length, 'item')
  return (path + (items[0] ?? '')).replace(/\/$/, '').split('/').at(-1) || bucket
}
