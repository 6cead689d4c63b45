interface RequestTarget {
  readonly rawPath: string
  readonly rawQuery: string
}

/** `http://host/path` as sent to proxies, which every server must accept (RFC 9112 section 3.2.2). */
const absoluteForm = /^https?:\/\/[^/?#]+/i

/**
 * Splits a request target at its first `?`, byte for byte. Of the absolute form only what follows
 * the authority counts. Undefined for a target that names no path (`*`, `host:port`, anything else).
 */
export function parseRequestTarget(target: string): RequestTarget | undefined {
  const local = target.startsWith('/') ? target : withoutAuthority(target)
  if (local === undefined) return undefined
  const question = local.indexOf('?')
  if (question < 0) return { rawPath: local, rawQuery: '' }
  return { rawPath: local.slice(0, question), rawQuery: local.slice(question + 1) }
}

function withoutAuthority(target: string): string | undefined {
  const authority = absoluteForm.exec(target)?.[0]
  if (authority === undefined) return undefined
  const rest = target.slice(authority.length)
  return rest.startsWith('/') ? rest : `/${rest}`
}
