/** ETags in header fields (RFC 9110 section 8.8.3). Everywhere else, an ETag has no quotes. */

/** The ETags of an If-Match or If-None-Match field, without quotes; `*`: any. */
type EtagList = readonly string[] | '*'

export function quoteEtag(etag: string): string {
  return `"${etag}"`
}

/** Removes the quotes, which S3 clients often omit. */
export function unquoteEtag(text: string): string {
  const trimmed = text.trim()
  return trimmed.length >= 2 && trimmed.startsWith('"') && trimmed.endsWith('"')
    ? trimmed.slice(1, -1)
    : trimmed
}

// RFC 9110 does not allow a bare token, but S3 accepts it and SDK users send it.
const entityTag = /(W\/)?"([^"]*)"|([^\s,"]+)/g

/** If-Match compares strongly: a weak ETag matches nothing (RFC 9110 section 13.1.1). */
export function parseIfMatch(field: string): EtagList {
  return parseEtagList(field, { keepsWeak: false })
}

/** If-None-Match compares weakly: `W/` is ignored (RFC 9110 section 13.1.2). */
export function parseIfNoneMatch(field: string): EtagList {
  return parseEtagList(field, { keepsWeak: true })
}

function parseEtagList(field: string, options: { readonly keepsWeak: boolean }): EtagList {
  if (field.trim() === '*') return '*'
  const etags: string[] = []
  for (const [, weak, quoted, bare] of field.matchAll(entityTag)) {
    const etag = quoted ?? bare
    if (etag !== undefined && (weak === undefined || options.keepsWeak)) etags.push(etag)
  }
  return etags
}

/** Whether the list names the ETag of an object that exists. */
export function includesEtag(list: EtagList, etag: string): boolean {
  return list === '*' || list.includes(etag)
}
