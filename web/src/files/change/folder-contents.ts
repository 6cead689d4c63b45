import { keyBefore } from '../../../../src/platform/text/key-order.ts'
import { nameOf, parentOf } from '../entries/entry.ts'
import { listPage } from '../listing/open-folder.ts'
import { type TreeSize, treeSize } from './tree-size.ts'

export function sizeOfTree(bucket: string, prefix: string, signal: AbortSignal): Promise<TreeSize> {
  return treeSize((after) => listPage({ bucket, prefix, isDeep: true, after, signal }))
}

/** Whether any object exists below a prefix. */
export async function hasAnything(bucket: string, prefix: string): Promise<boolean> {
  const page = await listPage({ bucket, prefix, isDeep: true, limit: 1 })
  return page.keys.length > 0
}

/** Whether a folder exists, empty or not. */
export async function isListed(bucket: string, folder: string): Promise<boolean> {
  const prefix = parentOf(folder)
  const filter = nameOf(folder)
  const query = { bucket, prefix, filter, isDeep: false, after: keyBefore(folder), limit: 1 }
  const { entries } = await listPage(query)
  return entries.some(({ key }) => key === folder)
}
