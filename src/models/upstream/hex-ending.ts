/**
 * A separator and eight or more hexadecimal characters at the end of a provider id
 * (docs/contract/model-list.md, "Ids from the upstream").
 */
export const hexEnding = /[-_][0-9a-f]{8,}$/i
