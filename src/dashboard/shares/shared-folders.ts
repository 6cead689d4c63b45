import type { HttpReply } from '../../platform/http/message.ts'
import { Limiter } from '../../platform/process/limiter.ts'
import { sortKeys } from '../../platform/text/key-order.ts'
import { attachmentNamed } from '../../platform/text/percent-encoding.ts'
import { openArchive } from '../../storage/archive/object-archive.ts'
import { isLegalKey } from '../../storage/drives/kit/names/key-path.ts'
import type { Entry } from '../../storage/drives/listed-entry.ts'
import { folderPage } from './folder-page.ts'
import { includes } from './share.ts'
import type { SharePage } from './share-pages.ts'
import { nameOf, refusals, ShareRefusal } from './share-texts.ts'
import { sendThumbnail } from './share-thumbnails.ts'
import { assertLeft, count, countView, sendFile } from './shared-files.ts'
import { textsFor } from './texts/visitor-texts.ts'
import type { ShareHandlerParts, Visit, VisitReply } from './visit.ts'

const pageEntries = 1_000
/** Chosen files are looked up one by one, this many at a time in each process. */
const lookups = new Limiter(16)

/** Answers visitors of a link to a folder. @throws ShareRefusal */
export async function answerFolder(visit: Visit, parts: ShareHandlerParts): Promise<VisitReply> {
  const { request, rest } = visit
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    throw new ShareRefusal(refusals.method, { allow: 'GET, HEAD' })
  }
  // The path is appended to the prefix as it is: `..` has no meaning in keys.
  const path = new URLSearchParams(request.rawQuery).get('path') ?? ''
  const key = visit.share.path + path
  if (key !== '' && !isLegalKey(key)) throw new ShareRefusal(refusals.unknown)
  if (path !== '' && !includes(visit.share, path)) throw new ShareRefusal(refusals.unknown)
  const answer = (path === '' || path.endsWith('/') ? ofFolders : ofFiles)[rest]
  if (answer === undefined) throw new ShareRefusal(refusals.unknown)
  return answer(visit, key, parts)
}

type Answer = (visit: Visit, key: string, parts: ShareHandlerParts) => Promise<VisitReply>

/** By the path after the token. */
const ofFiles: Readonly<Record<string, Answer>> = { '/file': sendFile, '/thumbnail': sendThumbnail }
const ofFolders: Readonly<Record<string, Answer>> = { '': showFolder, '/zip': sendArchive }

async function showFolder(visit: Visit, key: string, parts: ShareHandlerParts): Promise<SharePage> {
  const { request, share, token } = visit
  assertLeft(share)
  const path = key.slice(share.path.length)
  const after = new URLSearchParams(request.rawQuery).get('after') ?? ''
  const entries =
    path === '' && share.items.length > 0
      ? await chosenEntries(visit, parts)
      : await entriesOf(visit, { prefix: key, after }, parts)
  const shown = entries.slice(0, pageEntries)
  const next = entries.length > pageEntries ? shown.at(-1)?.key : undefined
  if (path === '' && after === '') await countView(visit, parts)
  return folderPage(textsFor(visit.request), token, share, { path, entries: shown, next })
}

/**
 * Sends a folder as one ZIP file, which counts as one use. It cannot be resumed, because it is created while it is
 * sent.
 */
async function sendArchive(
  { request, share }: Visit,
  prefix: string,
  parts: ShareHandlerParts,
): Promise<HttpReply> {
  if (request.method !== 'GET') throw new ShareRefusal(refusals.unknown)
  assertLeft(share)
  const slot = parts.archives.enter(share.shareId)
  if (slot === undefined) throw new ShareRefusal(refusals.away, { retryAfterSeconds: 60 })
  const { bucket } = share
  const { signal } = request
  try {
    const isWhole = prefix === share.path
    const names = isWhole && share.items.length > 0 ? share.items : undefined
    const archive = await openArchive({ drive: parts.drive, bucket, prefix, names, signal })
    const ownName = names === undefined ? nameOf(prefix) || bucket : 'files'
    const name = (isWhole && share.title) || ownName
    const headers = [
      ['Content-Type', 'application/zip'],
      ['Content-Disposition', attachmentNamed(`${name}.zip`)],
      ['Cache-Control', 'no-store'],
      ['X-Content-Type-Options', 'nosniff'],
      ['Referrer-Policy', 'no-referrer'],
    ] as const
    const reply = { status: 200, headers, body: slot.around(archive) }
    await count(share, reply, parts)
    return reply
  } catch (error) {
    slot.leave()
    throw error
  }
}

/** The files and folders that were chosen for the share. Those that are gone are left out. */
async function chosenEntries(
  { share: { bucket, path, items }, request: { signal } }: Visit,
  { drive }: ShareHandlerParts,
): Promise<Entry[]> {
  const lookUp = async (key: string): Promise<Entry[]> => {
    if (key.endsWith('/')) return [{ kind: 'folder', key }]
    const object = await lookups.run(signal, async () => drive.head(bucket, key))
    if (object === undefined) return []
    const { size, modifiedAtMs, attributes } = object
    return [{ kind: 'object', key, size, modifiedAtMs, etag: attributes.etag }]
  }
  const keys = sortKeys(items.map((item) => path + item))
  return (await Promise.all(keys.map(lookUp))).flat()
}

/** The entries of a page, and one more if there is another page. */
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
