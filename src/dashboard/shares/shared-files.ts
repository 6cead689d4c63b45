import type { HttpReply, HttpRequest } from '../../platform/http/message.ts'
import { attachmentNamed } from '../../platform/text/percent-encoding.ts'
import type { Share } from './share.ts'
import { filePage, isShownInBrowser } from './share-pages.ts'
import { nameOf, refusals, ShareRefusal } from './share-texts.ts'
import { sendThumbnail } from './share-thumbnails.ts'
import { fieldOf, readObject } from './shared-object.ts'
import { textsFor } from './texts/visitor-texts.ts'
import type { ShareHandlerParts, Visit, VisitReply } from './visit.ts'

/** How long a download that was counted may be resumed. */
const downloadSeconds = 24 * 3_600

/** The visitor's header fields that are passed on in the request for the object. */
const passedOn = ['range', 'if-range', 'if-none-match', 'if-modified-since'] as const

/** The object's header fields that a visitor gets. Metadata, tags and the expiration are left out. */
const shown: ReadonlySet<string> = new Set([
  ...['content-type', 'content-length', 'content-range', 'accept-ranges', 'etag', 'last-modified'],
  ...['content-security-policy', 'x-content-type-options', 'content-encoding', 'content-language'],
])

/** Answers visitors of a link to a file. @throws ShareRefusal */
export async function answerFile(visit: Visit, parts: ShareHandlerParts): Promise<VisitReply> {
  const { request, share, token, rest } = visit
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    throw new ShareRefusal(refusals.method, { allow: 'GET, HEAD' })
  }
  if (rest === '/file') return sendFile(visit, share.path, parts)
  if (rest === '/thumbnail') return sendThumbnail(visit, share.path, parts)
  if (rest !== '') throw new ShareRefusal(refusals.unknown)
  assertLeft(share)
  const { headers } = await readObject(
    visit,
    { key: share.path, method: 'HEAD', headers: {} },
    parts,
  )
  const contentType = fieldOf(headers, 'content-type')
  const size = Number(fieldOf(headers, 'content-length'))
  const etag = fieldOf(headers, 'etag').replaceAll('"', '')
  await countView(visit, parts)
  return filePage(textsFor(visit.request), token, share, {
    name: nameOf(share.path),
    size,
    contentType,
    etag,
  })
}

/** The action in the log of a visit that opens the page of a share. */
export const viewAction = 'view'

/** Counts that a person has opened the page. */
export async function countView(
  { request, share: { shareId }, logFields }: Visit,
  { table, onFailure }: ShareHandlerParts,
): Promise<void> {
  // A browser that prefetches a page sends `prefetch` (Fetch standard, "Sec-Purpose").
  if (request.method !== 'GET' || request.headers['sec-purpose'] !== undefined) return
  logFields.action = viewAction
  await table.countView(shareId).catch((error) => onFailure(error, request.id))
}

/** Sends a file, and counts the download. @throws ShareRefusal */
export async function sendFile(
  visit: Visit,
  key: string,
  parts: ShareHandlerParts,
): Promise<HttpReply> {
  const { request, share, token, isSecure } = visit
  const what = `download ${key}`
  const isLimited = share.maxUses !== 0
  const isPreview = !isLimited && request.rawQuery.split('&').includes('inline')
  const { method, headers } = request
  // If uses are not limited, a client need not prove that the download it resumes was counted.
  const isResumed =
    headers.range !== undefined &&
    (isLimited ? parts.cookies.has(request, share, what) : !/^bytes=0-/.test(headers.range))
  if (!isResumed) assertLeft(share)
  const isCounted = method === 'GET' && !isResumed && !isPreview
  const asked = {
    key,
    method: method === 'HEAD' ? 'HEAD' : 'GET',
    headers: askedOf(request),
  } as const
  const object = await readObject(visit, asked, parts)
  const isUse = isCounted && (object.status === 200 || object.status === 206)
  if (isUse) await count(share, object, parts)
  const type = fieldOf(object.headers, 'content-type')
  const isShown = isPreview && isShownInBrowser(type)
  const cookie = { token, what, seconds: downloadSeconds, isSecure }
  return {
    ...object,
    headers: [
      ...object.headers.filter(([name]) => shown.has(name.toLowerCase())),
      ['Content-Disposition', isShown ? 'inline' : attachmentNamed(nameOf(key) || 'file')],
      ['Cache-Control', 'private, no-cache'],
      ['Referrer-Policy', 'no-referrer'],
      ['Cross-Origin-Resource-Policy', 'same-origin'],
      // A 304 or 416 does not start a download.
      ...(isUse && isLimited ? [parts.cookies.set(share, cookie)] : []),
    ],
  }
}

/** Counts a use, before the body of its reply is sent. @throws ShareRefusal if no use is left */
export async function count(
  { shareId }: Share,
  { body }: HttpReply,
  { table, now }: ShareHandlerParts,
): Promise<void> {
  let isCounted = false
  try {
    isCounted = await table.count(shareId, 0, now())
  } finally {
    if (!isCounted && typeof body === 'object' && 'close' in body) await body.close()
  }
  if (!isCounted) throw new ShareRefusal(refusals.used)
}

function askedOf({ headers }: HttpRequest): Record<string, string> {
  return Object.fromEntries(
    passedOn.flatMap((name) => {
      const value = headers[name]
      return typeof value === 'string' ? [[name, value]] : []
    }),
  )
}

/** @throws ShareRefusal if the share has been used up */
export function assertLeft({ maxUses, uses }: Share): void {
  if (maxUses !== 0 && uses >= maxUses) throw new ShareRefusal(refusals.used)
}
