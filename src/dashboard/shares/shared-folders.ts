import type { HttpReply } from '../../platform/http/message.ts'
import { attachmentNamed } from '../../platform/text/percent-encoding.ts'
import { openArchive } from '../../storage/archive/object-archive.ts'
import { isLegalKey } from '../../storage/drives/kit/names/key-path.ts'
import type { Entry } from '../../storage/drives/listed-entry.ts'
import { folderPage } from './folder-page.ts'
import { nameOf, refusals, ShareRefusal } from './share-texts.ts'
import { assertLeft, count, sendFile } from './shared-files.ts'
import type { ShareHandlerParts, Visit, VisitReply } from './visit.ts'

const pageEntries = 200

/** Answers visitors of a link to a folder. @throws ShareRefusal */
export async function answerFolder(visit: Visit, parts: ShareHandlerParts): Promise<VisitReply> {
  const { request, share, token, rest } = visit
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    throw new ShareRefusal(refusals.method, { allow: 'GET, HEAD' })
  }
  // What follows the prefix is a part of a key as it is: keys have no `..`.
  const query = new URLSearchParams(request.rawQuery)
  const path = query.get('path') ?? ''
  const key = share.path + path
  const isFolder = path === '' || path.endsWith('/')
  if (key !== '' && !isLegalKey(key)) throw new ShareRefusal(refusals.unknown)
  if (rest === '/file' && !isFolder) return sendFile(visit, key, parts)
  if (rest === '/zip' && isFolder && request.method === 'GET') return sendArchive(visit, key, parts)
  if (rest !== '' || !isFolder) throw new ShareRefusal(refusals.unknown)
  assertLeft(share)
  const entries = await entriesOf(visit, { prefix: key, after: query.get('after') ?? '' }, parts)
  const shown = entries.slice(0, pageEntries)
  const next = entries.length > pageEntries ? shown.at(-1)?.key : undefined
  return folderPage(token, share, { path, entries: shown, next })
}

/** Sends a folder as one ZIP file, which is one use. It cannot be continued, because it is made while it is sent. */
async function sendArchive(
  { request, share }: Visit,
  prefix: string,
  parts: ShareHandlerParts,
): Promise<HttpReply> {
  assertLeft(share)
  const place = parts.archives.enter(share.shareId)
  if (place === undefined) throw new ShareRefusal(refusals.away, { retryAfterSeconds: 60 })
  const { bucket } = share
  const { signal } = request
  try {
    const archive = await openArchive({ drive: parts.drive, bucket, prefix, signal })
    const headers = [
      ['Content-Type', 'application/zip'],
      ['Content-Disposition', attachmentNamed(`${nameOf(prefix) || bucket}.zip`)],
      ['Cache-Control', 'no-store'],
      ['X-Content-Type-Options', 'nosniff'],
      ['Referrer-Policy', 'no-referrer'],
    ] as const
    const reply = { status: 200, headers, body: place.around(archive) }
    await count(share, reply, parts)
    return reply
  } catch (error) {
    place.leave()
    throw error
  }
}

/** One more than a page has, if there are more. */
async function entriesOf(
  { share, request }: Visit,
  { prefix, after }: { readonly prefix: string; readonly after: string },
  { drive }: ShareHandlerParts,
): Promise<Entry[]> {
  const cursor = drive.list(share.bucket, { prefix, after, delimiter: '/' })
  const found: Entry[] = []
  while (found.length <= pageEntries) {
    request.signal.throwIfAborted()
    const entries = await cursor.next(pageEntries + 1 - found.length)
    if (entries.length === 0) break
    // The folder itself may be an object.
    found.push(...entries.filter(({ key }) => key !== prefix))
  }
  return found
}
