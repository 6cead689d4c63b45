import { createHash, type Hash, randomUUID } from 'node:crypto'
import {
  close,
  closeSync,
  createReadStream,
  fstatSync,
  fsync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  renameSync,
  type Stats,
  statSync,
  write,
  writeSync,
} from 'node:fs'
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type ServerResponse,
} from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { parseArgs, promisify } from 'node:util'

/**
 * The floor of the runtime: a node:http file server that does the reads and writes of the gateway
 * without S3. GET sends a file or a range of it (open, fstat, read, close). PUT writes a temporary
 * file and renames it; with --durable it also computes the MD5 and fsyncs file and folder. It
 * verifies nothing, knows one flat folder and stores aws-chunked as sent.
 *
 * Usage: node bench/raw-server.ts [--durable] [--cert FILE --key FILE] FOLDER PORT
 */
const smallBytes = 64 * 1024
const readBytes = 512 * 1024
const pageKeys = 1_000
const fsyncAsync = promisify(fsync)
const writeAsync = promisify(write)
const closeAsync = promisify(close)

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    durable: { type: 'boolean', default: false },
    cert: { type: 'string' },
    key: { type: 'string' },
  },
})
const [folder = '.', portText = '0'] = positionals
const folderDescriptor = openSync(folder, 'r')

/** The URL has the bucket, which is the folder, and the key. */
function pathOf(request: IncomingMessage): string {
  const path = (request.url ?? '').split('?')[0] ?? ''
  return `${folder}/${path.slice(path.indexOf('/', 1) + 1).replaceAll('/', '_')}`
}

// Synchronous calls on a file in the page cache cost 2 to 5 µs, asynchronous ones about 25 µs: a
// floor that used the slow way would flatter the gateway.
function get(request: IncomingMessage, response: ServerResponse): void {
  if (request.method === 'HEAD') {
    response.writeHead(200, headersOf(statSync(pathOf(request)))).end()
    return
  }
  const descriptor = openSync(pathOf(request), 'r')
  const stats = fstatSync(descriptor)
  const [first, last] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '')?.slice(1) ?? []
  const start = Number(first ?? 0)
  const size = Number(last ?? stats.size - 1) - start + 1
  const status = first === undefined ? 200 : 206
  response.writeHead(status, { ...headersOf(stats), 'Content-Length': size })
  if (size > smallBytes) {
    createReadStream('', {
      fd: descriptor,
      start,
      end: start + size - 1,
      highWaterMark: readBytes,
    }).pipe(response)
    return
  }
  const bytes = Buffer.allocUnsafe(size)
  readSync(descriptor, bytes, 0, size, start)
  closeSync(descriptor)
  response.end(bytes)
}

function headersOf({ size, mtime }: Stats): Record<string, string | number> {
  return {
    'Content-Length': size,
    'Content-Type': 'application/octet-stream',
    'Last-Modified': mtime.toUTCString(),
  }
}

/** The first page of the folder: its names sorted, with size and time of those on the page. */
function list(response: ServerResponse): void {
  const names = readdirSync(folder).sort().slice(0, pageKeys)
  const rows = names.map((name) => {
    const { size, mtime } = statSync(`${folder}/${name}`)
    return `<Key>${name}</Key><Size>${size}</Size><LastModified>${mtime.toISOString()}</LastModified>`
  })
  const body = rows.join('')
  response.writeHead(200, { 'Content-Length': Buffer.byteLength(body) }).end(body)
}

async function put(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const temporary = `${folder}/.${randomUUID()}`
  const descriptor = openSync(temporary, 'wx')
  const hash = values.durable ? createHash('md5') : undefined
  await store(request, descriptor, hash)
  if (values.durable) await fsyncAsync(descriptor)
  renameSync(temporary, pathOf(request))
  await Promise.all([
    values.durable ? fsyncAsync(folderDescriptor) : undefined,
    closeAsync(descriptor),
  ])
  const etag = hash === undefined ? {} : { ETag: `"${hash.digest('hex')}"` }
  response.writeHead(200, { ...etag, 'Content-Length': 0 }).end()
}

async function store(request: IncomingMessage, descriptor: number, hash?: Hash): Promise<void> {
  const isSmall = Number(request.headers['content-length']) <= smallBytes
  let writing: Promise<unknown> = Promise.resolve()
  for await (const chunk of request as AsyncIterable<Buffer>) {
    if (isSmall) {
      writeSync(descriptor, chunk)
    } else {
      // The next chunk is hashed while the thread pool still writes this one.
      await writing
      writing = writeAsync(descriptor, chunk)
    }
    hash?.update(chunk)
  }
  await writing
}

const answer: RequestListener = (request, response) => {
  if (request.method === 'PUT') {
    put(request, response).catch((error: unknown) => response.destroy(error as Error))
    return
  }
  try {
    if (request.url?.includes('?list-type=2')) list(response)
    else get(request, response)
  } catch {
    response.writeHead(404, { 'Content-Length': 0 }).end()
  }
}

const { cert, key } = values
const server =
  cert === undefined || key === undefined
    ? createServer(answer)
    : createTlsServer({ cert: readFileSync(cert), key: readFileSync(key) }, answer)
server.listen(Number(portText), '127.0.0.1')
