/**
 * A mask stands for a key that is stored. Every text that begins like one is a mask and nothing
 * else: such a key is refused.
 */
const maskStart = '****'
const shownCharacters = 4
/** Of a shorter key four characters would give away too much. */
const shortestShown = 16

/** Visible ASCII: a key travels in a header field. */
export const apiKeyPattern = /^[\x21-\x7e]*$/
export const maxApiKeyLength = 4_096

/** @param apiKey Undefined when it can't be opened. */
export function maskOf(apiKey: string | undefined): string {
  if (apiKey === undefined || apiKey.length < shortestShown) return maskStart
  return maskStart + apiKey.slice(-shownCharacters)
}

export function isMask(apiKey: string): boolean {
  return apiKey.startsWith(maskStart)
}
