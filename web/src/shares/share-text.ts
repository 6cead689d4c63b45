import type { ShareReply } from '../../../src/dashboard/shares/share-schemas.ts'
import { formatCount } from '../format/bytes.ts'
import { sharesTexts } from '../texts/shares.ts'

type Kind = ShareReply['kind']

/** Why a share has ended, as a badge. */
export const endLabels: Readonly<Record<NonNullable<ShareReply['end']>, string>> = {
  revoked: sharesTexts.endings.revoked,
  expired: sharesTexts.endings.expired,
  used: sharesTexts.endings.used,
  denied: sharesTexts.endings.denied,
}

export const kindLabels: Readonly<Record<Kind, string>> = {
  file: sharesTexts.kinds.file,
  folder: sharesTexts.kinds.folder,
  drop: sharesTexts.kinds.drop,
}

/** "12 views, 2 of 3 downloads" */
export function usesText({
  kind,
  uses,
  maxUses,
  views,
}: Pick<ShareReply, 'kind' | 'uses' | 'maxUses' | 'views'>) {
  const textOf = kind === 'drop' ? sharesTexts.uploadedFiles : sharesTexts.downloads
  const used = maxUses === null ? textOf(uses) : sharesTexts.of(formatCount(uses), textOf(maxUses))
  return `${sharesTexts.views(views)}, ${used}`
}

/** What a share is for, without its bucket: the last name of its path, or how much was chosen. */
export function sharedName({
  path,
  bucket,
  items,
}: Pick<ShareReply, 'path' | 'bucket' | 'items'>): string {
  if (items.length > 1) return sharesTexts.items(items.length)
  return (path + (items[0] ?? '')).replace(/\/$/, '').split('/').at(-1) || bucket
}
