import type { HeaderFields, HttpReply, HttpRequest } from '../../platform/http/message.ts'
import { attachmentNamed } from '../../platform/text/percent-encoding.ts'
import type { ObjectRequest } from './maker-access.ts'
import type { Share } from './share.ts'
import { filePage, isShownInBrowser } from './share-pages.ts'
import { nameOf, refusals, ShareRefusal } from './share-texts.ts'
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
  if (rest !== '') throw new ShareRefusal(refusals.unknown)
  assertLeft(share)
  const { headers } = await readObject(
    visit,
    { key: share.path, method: 'HEAD', headers: {} },
    parts,
  )
  const contentType = fieldOf(headers, 'content-type')
  const size = Number(fieldOf(headers, 'content-length'))
  return filePage(token, share, { name: nameOf(share.path), size, contentType })
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

/** @throws ShareRefusal if the object cannot be read */
async function readObject(
  { request, share }: Visit,
  asked: ObjectRequest,
  { makers }: ShareHandlerParts,
): Promise<HttpReply> {
  const reply = await makers.send(share, asked, request)
  const { status, headers, logFields } = reply
  if (status < 400) return reply
  // Without its body, which names the bucket.
  if (status === 416) {
    return { status, headers: headers.filter(([name]) => name.toLowerCase() === 'content-range') }
  }
  const reason = String(logFields?.reason ?? logFields?.code ?? status)
  if (status === 404) throw new ShareRefusal(refusals.missing, { reason })
  throw new ShareRefusal(status === 403 ? refusals.revoked : refusals.away, { reason })
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

export function fieldOf(headers: HeaderFields, name: string): string {
  return headers.find(([each]) => each.toLowerCase() === name)?.[1] ?? ''
}
