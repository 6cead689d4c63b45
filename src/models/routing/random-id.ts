import { createHash, randomInt } from 'node:crypto'
import { hexEnding } from '../upstream/upstream.ts'

/**
 * Generated ids end in letters that are not hexadecimal digits: the list never queries the upstream
 * of a provider whose id ends in such digits (docs/contract/model-list.md, "Ids from the upstream").
 */
const letters = 'ghijklmnopqrstuvwxyz'
const connectionIdLength = 20
const suffixLength = 12
const maxSlugLength = 40

/** The prefixes of custom provider ids, as in `compatibleFlavour`. */
export const compatibleKinds = ['openai-compatible', 'anthropic-compatible'] as const

type CompatibleKind = (typeof compatibleKinds)[number]

/** 86 random bits. */
export function randomConnectionId(): string {
  return randomLetters(connectionIdLength)
}

/** An id for a custom provider, such as `openai-compatible-my-server-kzwq…`. */
export function randomProviderId(kind: CompatibleKind, name: string): string {
  return [kind, slugOf(name), randomLetters(suffixLength)].filter(Boolean).join('-')
}

/**
 * Replaces a UUID or another run of hex digits at the end of a provider id with letters, always the
 * same ones; returns other ids unchanged.
 */
export function withoutHexEnd(provider: string): string {
  let kept = provider.replace(uuidEnding, '')
  while (hexEnding.test(kept)) kept = kept.replace(hexEnding, '')
  if (kept === provider) return provider
  return `${kept}-${lettersOf(provider)}`
}

const uuidEnding = /[-_][0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

function slugOf(name: string): string {
  const slug = name.toLowerCase().replace(/[^a-z0-9]+/g, '-')
  return slug.slice(0, maxSlugLength).replace(/^-+|-+$/g, '')
}

function randomLetters(length: number): string {
  return Array.from({ length }, () => letters[randomInt(letters.length)]).join('')
}

function lettersOf(text: string): string {
  const digest = createHash('sha256').update(text).digest()
  return Array.from(
    digest.subarray(0, suffixLength),
    (byte) => letters[byte % letters.length],
  ).join('')
}
