import type { DeletedReply } from '../../../../src/dashboard/management/folders/deleted-route.ts'
import { type Entry, folderEntry, nameOf, parentOf } from '../entries/entry.ts'

export type DeletedItem = DeletedReply['entries'][number]

/** The items of all pages, the latest deletion first. A folder may be in several pages. */
export function deletedItems(pages: readonly DeletedReply[]): readonly DeletedItem[] {
  const items = new Map<string, DeletedItem>()
  for (const item of pages.flatMap(({ entries }) => entries)) {
    const other = items.get(item.key)
    items.set(item.key, other === undefined ? item : sum(other, item))
  }
  return [...items.values()].sort((a, b) => Date.parse(b.deletedAt) - Date.parse(a.deletedAt))
}

function sum(one: DeletedItem, other: DeletedItem): DeletedItem {
  const isLater = Date.parse(one.deletedAt) > Date.parse(other.deletedAt)
  return {
    ...(isLater ? one : other),
    objects: one.objects + other.objects,
    bytes: one.bytes + other.bytes,
  }
}

export function entryOf({ key, bytes, deletedAt }: DeletedItem): Entry {
  if (key.endsWith('/')) return folderEntry(key, parentOf(key))
  const modifiedAtMs = Date.parse(deletedAt)
  return { kind: 'file', key, name: nameOf(key), size: bytes, modifiedAtMs, etag: '' }
}
