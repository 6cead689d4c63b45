import type { WebsiteReply } from '../../../../src/dashboard/management/bucket-option-schemas.ts'

export type WebsiteDocuments = Extract<WebsiteReply, { readonly index: string }>
export type RedirectRule = NonNullable<WebsiteDocuments['rules']>[number]

/**
 * The website as it is saved: without empty texts and lists, which mean none. A redirect that looks as it was read is saved
 * as it was read, because an empty field does not show whether S3 clients have set it.
 */
export function savedWebsite(
  draft: WebsiteReply | null,
  before: WebsiteReply | null,
): WebsiteReply | null {
  if (draft === null || 'redirectAllTo' in draft) return draft
  const { index, errorKey = '', rules = [] } = draft
  const known = before !== null && 'index' in before ? (before.rules ?? []) : []
  const saved = rules.map((rule, index) => asRead(rule, index, known))
  return { index, ...(errorKey !== '' && { errorKey }), ...(saved.length > 0 && { rules: saved }) }
}

function asRead(rule: RedirectRule, index: number, known: readonly RedirectRule[]): RedirectRule {
  if (known.includes(rule)) return rule
  // The rule has moved up if rules before it were removed.
  const candidates = [...known.slice(index, index + 1), ...known]
  return candidates.find((one) => lookOf(one) === lookOf(rule)) ?? rule
}

function lookOf({ keyPrefix = '', newPrefix = '', ...rest }: RedirectRule): string {
  return JSON.stringify([keyPrefix, newPrefix, rest])
}

/** @param base the address of the gateway, whose scheme and port its websites have */
export function websiteAddress(host: string, base: string): string {
  const { protocol, port } = new URL(base)
  return `${protocol}//${host}${port && `:${port}`}/`
}
