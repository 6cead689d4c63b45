import type { IncomingMessage, RequestListener } from 'node:http'
import { md5Of } from '../../contract/drive/stored-object.ts'

interface File {
  readonly bytes: Buffer
  /** What it keeps of the header. */
  readonly fields: Readonly<Record<string, string>>
}

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
export function storeOfFiles(): StoreOfFiles {
  const files = new Map<string, File>()
  const broken: string[] = []
  const answer: RequestListener = async (request, response) => {
    // It resolves `.` and `..`.
    const url = new URL(request.url ?? '', 'http://store')
    const path = decodeURIComponent(url.pathname).replace(/[/\\]+/g, '/')
    const bytes = await bytesIn(request)
    const found = files.get(path)
    const fieldsOf = (file: File) => ({
      etag: `"${md5Of(file.bytes)}"`,
      ...file.fields,
    })
    const answers: Readonly<Record<string, () => void>> = {
      get() {
        const prefix = `/bucket/${url.searchParams.get('prefix')}`.replace(/\/+/g, '/')
        if (url.searchParams.has('list-type')) {
          const listed = [...files.keys()].filter((name) => name.startsWith(prefix)).sort()
          const entries = listed.map((name) => `<Contents><Key>${name.slice(8)}</Key></Contents>`)
          response.end(`<ListBucketResult>${entries.join('')}</ListBucketResult>`)
        } else if (found === undefined) response.writeHead(404).end()
        else {
          const head = { ...fieldsOf(found), 'content-length': found.bytes.length }
          response.writeHead(200, head).end(found.bytes)
        }
      },
      put() {
        const kept = Object.entries(request.headers).filter(([name]) => keptFields.includes(name))
        if (bytes === undefined) response.writeHead(400).end()
        else {
          const file = { bytes, fields: Object.fromEntries(kept) as File['fields'] }
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

/** The body, or as much of it as arrived. Undefined if it lacks the checksum at its end. */
async function bytesIn(request: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = []
  try {
    for await (const chunk of request) chunks.push(chunk)
  } catch {
    // It broke off.
  }
  const bytes = Buffer.concat(chunks)
  if (request.headers['x-amz-trailer'] === undefined) return bytes
  const pieces: Buffer[] = []
  for (let at = 0; ; ) {
    const [head = '', size = ''] = /^(\w+)\r\n/.exec(bytes.toString('latin1', at, at + 20)) ?? []
    if (head === '') return undefined
    const start = at + head.length
    at = start + Number.parseInt(size, 16) + 2
    if (size !== '0') pieces.push(bytes.subarray(start, at - 2))
    else {
      const isWhole = /^x-amz-checksum-\w+:\S+\r\n\r\n$/.test(bytes.toString('latin1', start))
      return isWhole ? Buffer.concat(pieces) : undefined
    }
  }
}
