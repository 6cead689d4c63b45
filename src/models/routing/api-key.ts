/**
 * A mask stands for a stored key. Every text with this prefix counts as a mask, so keys with it are
 * rejected.
 */
const maskStart = '****'
const shownCharacters = 4
/** Four characters of a shorter key would reveal too much. */
const shortestShown = 16

/** Visible ASCII, because keys are sent in a header field. */
export const apiKeyPattern = /^[\x21-\x7e]*$/
export const maxApiKeyLength = 4_096

/** @param apiKey Undefined if it cannot be decrypted. */
export function maskOf(apiKey: string | undefined): string {
  if (apiKey === undefined || apiKey.length < shortestShown) return maskStart
  return maskStart + apiKey.slice(-shownCharacters)
}

export function isMask(apiKey: string): boolean {
  return apiKey.startsWith(maskStart)
}
