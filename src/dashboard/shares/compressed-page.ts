import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { HttpReply, HttpRequest } from '../../platform/http/message.ts'
import { acceptedCodings } from '../web-app/asset-file.ts'

const compress = promisify(gzip)
/** Characters. A shorter page fits into a few packets. */
const shortPage = 8_000

/** The page of a thousand files has 700 KB, and compressed a tenth of that. */
export async function compressedPage(
  page: HttpReply,
  { headers }: Pick<HttpRequest, 'headers'>,
): Promise<HttpReply> {
  const { body } = page
  const accepted = acceptedCodings(headers['accept-encoding'])
  const isAccepted = accepted.some(({ name }) => name === 'gzip')
  if (typeof body !== 'string' || body.length < shortPage || !isAccepted) return page
  return {
    ...page,
    headers: [...page.headers, ['Content-Encoding', 'gzip']],
    body: await compress(body),
  }
}
