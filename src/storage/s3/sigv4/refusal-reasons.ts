/**
 * Why a signature was refused and how to fix that, for the owner of the gateway, in the log and the dashboard. The client
 * gets less detail (docs/contract/object-storage.md, "Error codes"). No reason contains a secret, signature or query.
 */

import type { IncomingHttpHeaders } from 'node:http'

const maxShownHost = 100

export const noExpiry =
  'The presigned URL has no X-Amz-Expires: create a new one, valid for 1 to 604800 seconds.'

export const badExpiry =
  'X-Amz-Expires must be a whole number of seconds from 1 to 604800: create a new presigned URL.'

export const unknownAccessKey =
  "The request's access key is not this gateway's ACCESS_KEY or another of its access keys: check the " +
  'access key that the client is configured with.'

/** @param expires seconds. */
export function urlExpired(signedAtMs: number, expires: number, nowMs: number): string {
  const ago = spell(nowMs - signedAtMs - expires * 1_000)
  return (
    `The presigned URL was signed at ${iso(signedAtMs)} for ${spell(expires * 1_000)} and ` +
    `expired ${ago} ago: create a new one. If it is new, correct the clock of the ` +
    'machine that signed it.'
  )
}

export function expiredAt(expiresAtMs: number): string {
  return `The presigned URL expired at ${iso(expiresAtMs)}: create a new one.`
}

export function signedAhead(signedAtMs: number, nowMs: number): string {
  return (
    `The presigned URL was signed at ${iso(signedAtMs)}, which is ${spell(signedAtMs - nowMs)} from ` +
    'now: correct the clock of the machine that signed it.'
  )
}

export function clocksDiffer(signedAtMs: number, nowMs: number): string {
  const side = signedAtMs > nowMs ? 'ahead of' : 'behind'
  return (
    `The client signed at ${iso(signedAtMs)}, ${spell(Math.abs(nowMs - signedAtMs))} ${side} the ` +
    'clock here; 15 minutes are allowed: correct the clock of the client or of this machine.'
  )
}

/** A wrong secret and a changed request cannot be distinguished. */
export function signatureDiffers(
  headers: IncomingHttpHeaders,
  publicUrl: string | undefined,
): string {
  const hint =
    publicUrl === undefined
      ? 'Behind a proxy, make it pass the Host header on, or set PUBLIC_URL.'
      : 'The host of PUBLIC_URL did not match either.'
  return (
    "The signature does not match. Either the client's secret key is not SECRET_KEY, or the " +
    `request was changed after it was signed. Its Host header is ${shownHost(headers.host)}. ` +
    `${hint} Set LOG_LEVEL=debug to log the expected canonical request.`
  )
}

function shownHost(host: string | undefined): string {
  return JSON.stringify((host ?? '').slice(0, maxShownHost))
}

function iso(atMs: number): string {
  return new Date(atMs).toISOString().replace('.000Z', 'Z')
}

const units = [
  [86_400, 'day'],
  [3_600, 'hour'],
  [60, 'minute'],
  [1, 'second'],
] as const

/** `3 days`, `2 hours`: rounded, in the largest unit with a count of at least two. */
function spell(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1_000))
  const [size, name] = units.find(([each]) => seconds >= 2 * each) ?? ([1, 'second'] as const)
  const count = Math.round(seconds / size)
  return `${count} ${name}${count === 1 ? '' : 's'}`
}
