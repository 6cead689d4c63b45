/**
 * Whether this is a valid upstream URL. Fetch rejects URLs with credentials (Fetch standard,
 * "Request class"), and also supports data: URLs.
 */
export function isUpstreamUrl(text: string): boolean {
  const url = URL.parse(text)
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:')) return false
  return url.username === '' && url.password === ''
}
