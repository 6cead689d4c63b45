import type { HeaderFields, HttpReply } from '../../platform/http/message.ts'
import type { ObjectRequest } from './maker-access.ts'
import { refusals, ShareRefusal } from './share-texts.ts'
import type { ShareHandlerParts, Visit } from './visit.ts'

/** @throws ShareRefusal if the object cannot be read */
export async function readObject(
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

export function fieldOf(headers: HeaderFields, name: string): string {
  return headers.find(([each]) => each.toLowerCase() === name)?.[1] ?? ''
}
