import type { ShareReply } from '../../../../src/dashboard/shares/share-schemas.ts'
import type { Entry } from '../entries/entry.ts'

interface Link extends Pick<ShareReply, 'kind' | 'bucket' | 'path' | 'end'> {
  readonly items: readonly string[]
}

/** How many working links lead to these entries or into them: to look at, and to send files to. */
export function linksTo(
  links: readonly Link[],
  bucket: string,
  entries: readonly Entry[],
): { readonly views: number; readonly drops: number } {
  const leading = links.filter((link) => {
    if (link.end !== null) return false
    const paths = link.items.length === 0 ? [link.path] : link.items.map((item) => link.path + item)
    return entries.some(({ bucket: own = bucket, key, kind }) => {
      if (link.bucket !== own) return false
      return paths.some((path) => (kind === 'folder' ? path.startsWith(key) : path === key))
    })
  })
  const drops = leading.filter(({ kind }) => kind === 'drop').length
  return { views: leading.length - drops, drops }
}
