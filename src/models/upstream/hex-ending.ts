/** Rule 4.3: a separator followed by eight or more hex characters, at the end of a provider id. */
export const hexEnding = /[-_][0-9a-f]{8,}$/i
