import type { IncomingMessage, RequestListener } from 'node:http'
import { md5Of } from '../../contract/drive/stored-object.ts'

interface File {
  readonly bytes: Buffer
  /** What it keeps of the header. */
  readonly fields: Readonly<Record<string, string>>
  /** The checksum at the end of the body. As Garage, it does not return it to the PUT. */
  readonly sum: Readonly<Record<string, string>>
}

type Body = Pick<File, 'bytes' | 'sum'>

/** As versitygw, it keeps `aws-chunked`. */
const keptFields = ['x-amz-checksum-crc32', 'content-encoding']

interface StoreOfFiles {
  readonly answer: RequestListener
  /** The paths of PUTs that broke off, after the store has done what it does with them. */
  readonly broken: readonly string[]
}

/**
 * A store that keeps objects as files, and so has one object where S3 has several. As versitygw 1.8.0, it takes the end of
 * a connection for that of a body, and verifies a body that ends in a checksum.
 */
export function storeOfFiles(pathOf: (url: string) => string = resolved): StoreOfFiles {
  const files = new Map<string, File>()
  const broken: string[] = []
  const answer: RequestListener = async (request, response) => {
    const url = new URL(request.url ?? '', 'http://store')
    const path = pathOf(request.url ?? '')
    const body = await bodyIn(request)
    const found = files.get(path)
    const fieldsOf = (file: File) => ({
      etag: `"${md5Of(file.bytes)}"`,
      ...file.fields,
    })
    const answers: Readonly<Record<string, () => void>> = {
      get() {
        const bucket = path.replace(/\/?$/, '/')
        const prefix = `${bucket}${url.searchParams.get('prefix')}`.replace(/\/+/g, '/')
        if (url.searchParams.has('list-type')) {
          const listed = [...files.keys()].filter((name) => name.startsWith(prefix)).sort()
          const entries = listed.map(
            (name) => `<Contents><Key>${name.slice(bucket.length)}</Key></Contents>`,
          )
          response.end(`<ListBucketResult>${entries.join('')}</ListBucketResult>`)
        } else if (path === '/') response.end('<ListAllMyBucketsResult/>')
        else if (found === undefined) response.writeHead(404).end()
        else {
          const head = { ...fieldsOf(found), ...found.sum, 'content-length': found.bytes.length }
          response.writeHead(200, head).end(found.bytes)
        }
      },
      put() {
        const kept = Object.entries(request.headers).filter(([name]) => keptFields.includes(name))
        if (body === undefined) response.writeHead(400).end()
        else {
          const file = { ...body, fields: Object.fromEntries(kept) as File['fields'] }
          files.set(path, file)
          response.writeHead(200, fieldsOf(file)).end('<CopyObjectResult/>')
        }
        if (!request.complete) broken.push(path)
      },
      delete() {
        files.delete(path)
        response.writeHead(204).end()
      },
      post: () => void response.end('<Result><UploadId>one</UploadId></Result>'),
    }
    const { method = '' } = request
    answers[method === 'HEAD' ? 'get' : method.toLowerCase()]?.()
  }
  return { answer, broken }
}

/** `.` and `..` are folders, as `//` and a backslash are. */
function resolved(url: string): string {
  return decodeURIComponent(new URL(url, 'http://store').pathname).replace(/[/\\]+/g, '/')
}

/** Slashes before a key are dropped, as Garage 2.0.0 does. */
export function withoutSlashesBefore(url: string): string {
  const [path = ''] = url.split('?')
  return decodeURIComponent(path).replace(/^(\/[^/]*)\/+/, '$1/')
}

/** The body, or as much of it as arrived. Undefined if it lacks the checksum at its end. */
async function bodyIn(request: IncomingMessage): Promise<Body | undefined> {
  const chunks: Buffer[] = []
  try {
    for await (const chunk of request) chunks.push(chunk)
  } catch {
    // It broke off.
  }
  const bytes = Buffer.concat(chunks)
  if (request.headers['x-amz-trailer'] === undefined) return { bytes, sum: {} }
  const pieces: Buffer[] = []
  for (let at = 0; ; ) {
    const [head = '', size = ''] = /^(\w+)\r\n/.exec(bytes.toString('latin1', at, at + 20)) ?? []
    if (head === '') return undefined
    const start = at + head.length
    at = start + Number.parseInt(size, 16) + 2
    if (size !== '0') pieces.push(bytes.subarray(start, at - 2))
    else {
      const trailer = /^(x-amz-checksum-\w+):(\S+)\r\n\r\n$/
      const [, name, value = ''] = trailer.exec(bytes.toString('latin1', start)) ?? []
      return name ? { bytes: Buffer.concat(pieces), sum: { [name]: value } } : undefined
    }
  }
}
