import type { HttpHandler, HttpReply, HttpRequest } from '../../platform/http/message.ts'
import { ApiError } from '../../platform/json-api/api-error.ts'
import { readBytes } from '../../platform/json-api/json-body.ts'
import { AttemptLimiter } from '../../platform/state/key-value/attempt-limiter.ts'
import { filledPage } from '../web-app/web-app.ts'
import { compressedPage } from './compressed-page.ts'
import { answerDrop } from './drop-links.ts'
import { endOf, hashOf, type Share, type ShareKind, shareOf, sharesBase } from './share.ts'
import { passwordPage, refusalPage, type SharePage } from './share-pages.ts'
import { amongVisitors, isPassword } from './share-password.ts'
import { type Refusal, refusals, ShareRefusal } from './share-texts.ts'
import { answerFile } from './shared-files.ts'
import { answerFolder } from './shared-folders.ts'
import type { VisitorTexts } from './texts/en.ts'
import { textsFor } from './texts/visitor-texts.ts'
import type { ShareHandlerParts, Visit, VisitReply } from './visit.ts'

/** How visitors are answered, by kind of share. */
const answers: Readonly<
  Record<ShareKind, (visit: Visit, parts: ShareHandlerParts) => Promise<VisitReply>>
> = { file: answerFile, folder: answerFolder, drop: answerDrop }

const addressForm = new RegExp(`^${sharesBase}([A-Za-z0-9_-]{22})(/.*)?$`)
const unlockedSeconds = 12 * 3_600
const maxFormBytes = 4_096
const formLimits = { maxBytes: maxFormBytes, idleMs: 10_000, totalMs: 10_000 }
/** The operation of a visitor's request in logs. */
export const shareOperation = 'share'
const unlockPath = '/unlock'

/** Answers visitors of shares, who have no account: everything below `/-/s/`. */
export function createShareHandler(parts: ShareHandlerParts): HttpHandler {
  return async (request) => {
    const logFields: Record<string, string> = { operation: shareOperation }
    const texts = textsFor(request)
    const page = (shown: SharePage, status?: number) => sharePage(parts, texts, shown, status)
    try {
      const visit = await visitOf(request, parts, logFields)
      const reply = await answerOf(visit, parts)(visit, parts)
      const whole = 'status' in reply ? reply : await compressedPage(await page(reply), request)
      const headers = [...whole.headers, ...hidden]
      return { ...whole, headers, logFields: { ...logFields, ...logFieldsOf(reply) } }
    } catch (error) {
      const { refusal, reason, retryAfterSeconds, allow } = refusalOf(error, request, parts)
      logFields.reason = reason
      const more = [
        ...(retryAfterSeconds === undefined
          ? []
          : [['Retry-After', String(retryAfterSeconds)] as const]),
        ...(allow === undefined ? [] : [['Allow', allow] as const]),
      ]
      const isUpload = request.method === 'PUT'
      const whole = isUpload
        ? plainRefusal(texts, refusal)
        : await page(refusalPage(texts, refusal), refusal.status)
      return { ...whole, headers: [...whole.headers, ...hidden, ...more], logFields }
    }
  }
}

/** Search engines must not list links that were sent to a person. */
const hidden = [['X-Robots-Tag', 'noindex, nofollow']] as const

/** What the log says of a reply: the key of a file in the shared folder, and why it was refused. */
function logFieldsOf(reply: VisitReply): Readonly<Record<string, string>> {
  const { key, reason } = ('status' in reply && reply.logFields) || {}
  return {
    ...(typeof key === 'string' && { key }),
    ...(typeof reason === 'string' && { reason }),
  }
}

/** A page in the visitor's language. It is not stored, but a cache that does so nevertheless must keep one for each language. */
async function sharePage(
  { folder }: ShareHandlerParts,
  { language, footer }: VisitorTexts,
  { title, body }: SharePage,
  status = 200,
): Promise<HttpReply> {
  const filling = { title, body: body.markup, status, language, footer }
  const page = await filledPage(folder, 'share.html', filling)
  const headers = [
    ['Content-Language', language],
    ['Vary', 'Accept-Language'],
  ] as const
  return { ...page, headers: [...page.headers, ...headers] }
}

/** For scripts, including that of the upload page. */
function plainRefusal(texts: VisitorTexts, { name, status }: Refusal): HttpReply {
  const { title, text } = texts.refusals[name]
  const headers = [
    ['Content-Type', 'text/plain; charset=utf-8'],
    ['Vary', 'Accept-Language'],
  ] as const
  return { status, headers, body: `${title}. ${text}\n` }
}

/** @throws ShareRefusal if there is no such share, or it no longer works */
async function visitOf(
  request: HttpRequest,
  { table, makers, originOf, now, clientAddress }: ShareHandlerParts,
  logFields: Record<string, string>,
): Promise<Visit> {
  const [, token = '', rest = ''] = addressForm.exec(request.rawPath) ?? []
  const row = token === '' ? undefined : await table.find(hashOf(token))
  if (row === undefined) throw new ShareRefusal(refusals.unknown)
  const share = shareOf(row)
  Object.assign(logFields, { share: share.shareId, bucket: share.bucket, key: share.path })
  const end = endOf(share, now())
  // A share that is used up passes: a download that has begun may be resumed.
  if (end === 'revoked' || end === 'expired') throw new ShareRefusal(refusals[end])
  const isAllowed = await makers.isAllowed(share)
  if (isAllowed === undefined) {
    throw new ShareRefusal(refusals.away, {
      reason: 'Access keys cannot be checked at the moment.',
    })
  }
  if (!isAllowed) {
    const reason = `Access key ${share.maker}, which created this share, no longer has this permission.`
    throw new ShareRefusal(refusals.revoked, { reason })
  }
  const waitSeconds = makers.takeTurn(share, clientAddress(request))
  if (waitSeconds > 0) {
    throw new ShareRefusal(refusals.busy, { retryAfterSeconds: Math.ceil(waitSeconds) })
  }
  const isSecure = originOf(request)?.startsWith('https:') === true
  return { request, share, token, rest, isSecure, logFields }
}

/** A new password invalidates what the previous one unlocked. */
const unlocked = ({ passwordHash }: Share) => `password ${passwordHash}`

function isUnlocked({ request, share }: Visit, { cookies }: ShareHandlerParts): boolean {
  return share.passwordHash === '' || cookies.has(request, share, unlocked(share))
}

function answerOf(visit: Visit, parts: ShareHandlerParts) {
  if (!isUnlocked(visit, parts)) return answerLocked
  // The form of another tab, which was opened before the share was unlocked.
  const isForm = visit.rest === unlockPath && visit.request.method === 'POST'
  return isForm ? async ({ token }: Visit) => toPage(token) : answers[visit.share.kind]
}

function toPage(token: string, more: HttpReply['headers'] = []): HttpReply {
  const headers = [
    ['Location', `${sharesBase}${token}`],
    ['Cache-Control', 'no-store'],
  ] as const
  return { status: 303, headers: [...headers, ...more] }
}

/** @throws ShareRefusal */
async function answerLocked(visit: Visit, parts: ShareHandlerParts): Promise<VisitReply> {
  const { request, token, rest } = visit
  const isRead = request.method === 'GET' || request.method === 'HEAD'
  if (rest === '' && isRead) return passwordPage(textsFor(request), token, false)
  if (rest !== unlockPath || request.method !== 'POST') throw new ShareRefusal(refusals.locked)
  // Any page can send a form, and five wrong passwords would lock the visitor out.
  if (parts.isFromOtherOrigin(request)) {
    throw new ShareRefusal(refusals.locked, { reason: 'A page of another origin sent the form.' })
  }
  request.acceptBody()
  const form = new URLSearchParams((await readBytes(request, formLimits)).toString())
  const reply = await amongVisitors(() => unlock(visit, form.get('password') ?? '', parts))
  if (reply === undefined) throw new ShareRefusal(refusals.away, { retryAfterSeconds: 5 })
  return reply
}

/** @throws ShareRefusal */
async function unlock(
  { request, share, token, isSecure }: Visit,
  given: string,
  parts: ShareHandlerParts,
): Promise<VisitReply> {
  const address = parts.clientAddress(request)
  // Per share: knowing one password must not allow more guesses of another.
  const limiter = new AttemptLimiter(parts.attempts, `share-${share.shareId}`)
  const retryAfterSeconds = await limiter.take(address)
  if (retryAfterSeconds > 0) throw new ShareRefusal(refusals.guesses, { retryAfterSeconds })
  if (!(await isPassword(given, share.passwordHash, request.signal))) {
    const texts = textsFor(request)
    const page = await sharePage(parts, texts, passwordPage(texts, token, true), 403)
    return { ...page, logFields: { reason: 'Wrong password.' } }
  }
  await limiter.clear(address)
  const cookie = { token, what: unlocked(share), seconds: unlockedSeconds, isSecure }
  return toPage(token, [parts.cookies.set(share, cookie)])
}

function refusalOf(error: unknown, { id, signal }: HttpRequest, parts: ShareHandlerParts) {
  if (error instanceof ShareRefusal) {
    if (error.cause !== undefined) parts.onFailure(error.cause, id)
    return error
  }
  if (error instanceof ApiError) return new ShareRefusal(refusals.form, { reason: error.message })
  if (!signal.aborted) parts.onFailure(error, id)
  return new ShareRefusal(refusals.away, { reason: 'The database or the drive does not respond.' })
}
