import type { ShareTarget } from '../../shares/share-draft.ts'
import { sharesTexts } from '../../texts/shares.ts'
import { nameOf, parentOf } from '../entries/entry.ts'

interface NamedTarget extends ShareTarget {
  readonly items: string[]
  readonly name: string
}

/** What a link to these files and folders has in the API, and how it is called in the dialog. */
export function targetOf(bucket: string, keys: readonly string[]): NamedTarget {
  const [first = ''] = keys
  if (keys.length === 1) {
    const kind = first.endsWith('/') ? 'folder' : 'file'
    return { kind, bucket, path: first, items: [], name: nameOf(first) }
  }
  const path = keys.reduce((common, key) => sharedFolder(common, key), parentOf(first))
  const items = keys.map((key) => key.slice(path.length))
  return { kind: 'folder', bucket, path, items, name: sharesTexts.items(keys.length) }
}

/** The folder, or the next one above it, that has the key. */
function sharedFolder(folder: string, key: string): string {
  let common = folder
  while (!key.startsWith(common) || key === common) common = parentOf(common)
  return common
}
