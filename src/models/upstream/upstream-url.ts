/**
 * Whether an upstream can be asked at this URL. Fetch refuses URLs with credentials (Fetch
 * standard, "Request class"), and speaks data: too.
 */
export function isUpstreamUrl(text: string): boolean {
  const url = URL.parse(text)
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:')) return false
  return url.username === '' && url.password === ''
}
