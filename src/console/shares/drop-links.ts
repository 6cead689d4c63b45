import { isLegalKey } from '../../drives/key-path.ts'
import { type Html, html } from './html.ts'
import { isUsedUp, type Share, sharesBase } from './share.ts'
import { factsOf, type SharePage } from './share-pages.ts'
import { nameOf, refusals, ShareRefusal, shownName, sizeText } from './share-texts.ts'
import type { ShareHandlerParts, Visit, VisitReply } from './visit.ts'
import { endingOf, numberedName, safeName } from './visitor-names.ts'

/** Files of one name. */
const maxNumber = 1_000
/** AWS, "Amazon S3 multipart upload limits": the largest object. What a visitor declares is reserved, so it has a limit. */
const maxObjectBytes = 5 * 1024 ** 4
const plainType = /^[\w.+-]+\/[\w.+-]+$/

/** Answers visitors of a link for uploads, who learn nothing about the folder. @throws ShareRefusal */
export async function answerDrop(visit: Visit, parts: ShareHandlerParts): Promise<VisitReply> {
  const { request, share, token, rest } = visit
  const { method } = request
  if (rest === '' && (method === 'GET' || method === 'HEAD')) {
    if (isUsedUp(share)) throw new ShareRefusal(refusals.full)
    return dropPage(token, share)
  }
  if (method !== 'PUT' || rest.length < 2) {
    throw new ShareRefusal(refusals.method, { allow: rest.length < 2 ? 'GET, HEAD' : 'PUT' })
  }
  return receive(visit, nameOfPath(rest.slice(1)), parts)
}

/** Writes a file that a visitor sends, under a name that is free. */
async function receive(
  { request, share }: Visit,
  name: string,
  parts: ShareHandlerParts,
): Promise<VisitReply> {
  const { table, makers, now } = parts
  const length = request.headers['content-length']
  if (length === undefined) throw new ShareRefusal(refusals.length)
  const size = Number(length)
  if (share.types.length > 0 && !share.types.includes(endingOf(name))) {
    throw new ShareRefusal(refusals.type)
  }
  if (size > (share.maxFileBytes || maxObjectBytes)) throw new ShareRefusal(refusals.large)
  if (!(await table.reserve(share.shareId, size, now()))) throw new ShareRefusal(refusals.full)
  let isKept = false
  try {
    const key = await freeKey(share, name, parts)
    const type = request.headers['content-type'] ?? ''
    const reply = await makers.send(
      share,
      {
        ...{ method: 'PUT', key },
        headers: {
          'content-length': length,
          'if-none-match': '*',
          ...(plainType.test(type) && { 'content-type': type }),
        },
      },
      request,
    )
    isKept = reply.status === 200
    if (!isKept) throw refusalOf(reply.status, String(reply.logFields?.code ?? reply.status))
    // Not its name, which would tell whether there was another one.
    const headers = [['Content-Type', 'text/plain; charset=utf-8']] as const
    return { status: 201, headers, body: 'Received.\n', logFields: { key } }
  } finally {
    if (!isKept) await table.giveBack(share.shareId, 1, size)
  }
}

/** Another visitor may take the name meanwhile; then the file is refused. */
async function freeKey(
  { bucket, path }: Share,
  name: string,
  { drive }: ShareHandlerParts,
): Promise<string> {
  for (let number = 1; number <= maxNumber; number++) {
    const key = path + numberedName(name, number)
    if (!isLegalKey(key)) break
    if ((await drive.head(bucket, key)) === undefined) return key
  }
  throw new ShareRefusal(refusals.name)
}

function refusalOf(status: number, reason: string): ShareRefusal {
  const { taken, revoked, large, away } = refusals
  const refusal = { 403: revoked, 409: taken, 412: taken, 400: away, 413: large }[status] ?? away
  return new ShareRefusal(refusal, { reason })
}

function nameOfPath(encoded: string): string {
  try {
    return safeName(decodeURIComponent(encoded))
  } catch {
    throw new ShareRefusal(refusals.name)
  }
}

/** The page of a link for uploads. Its script is web/src/share-page/drop.ts. */
function dropPage(token: string, share: Share): SharePage {
  const name = shownName(nameOf(share.path) || share.bucket)
  const { types } = share
  const accept = types.map((type) => `.${type}`).join(',')
  return {
    title: `Send files to ${name}`,
    body: html`<p class="kind">Upload link</p>
<h1>Send files to <bdi>${name}</bdi></h1>
<p class="facts">${limitsOf(share)}${factsOf({ ...share, maxUses: 0 })}</p>
<noscript><p class="mistake">Sending files needs JavaScript.</p></noscript>
<form class="drop" data-drop="${sharesBase}${token}/" data-largest="${share.maxFileBytes}">
<label for="files">Choose files, or drop them here</label>
<input id="files" type="file" multiple${types.length > 0 && html` accept="${accept}"`}>
</form>
<ul class="entries" id="sent" aria-live="polite"></ul>`,
  }
}

function limitsOf({ types, maxFileBytes, maxBytes, bytes, maxUses, uses }: Share): Html {
  const limits = [
    types.length > 0 && `Only ${types.join(', ')}`,
    maxFileBytes > 0 && `up to ${sizeText(maxFileBytes)} each`,
    maxBytes > 0 && `${sizeText(Math.max(0, maxBytes - bytes))} left`,
    maxUses > 0 && `${maxUses - uses} ${maxUses - uses === 1 ? 'file' : 'files'} left`,
  ].filter((text) => text !== false)
  return html`${limits.join(' · ') || 'Nobody else who has this link sees what you send'}`
}
