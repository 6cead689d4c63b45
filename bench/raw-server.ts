import { createHash, randomUUID } from 'node:crypto'
import {
  close,
  closeSync,
  createReadStream,
  fstatSync,
  fsync,
  openSync,
  readSync,
  renameSync,
  write,
  writeSync,
} from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { promisify } from 'node:util'

/**
 * The floor of the runtime: a node:http file server that does the reads and writes of the gateway
 * without S3. GET sends a file (open, fstat, read, close). PUT writes a temporary file, computes its
 * MD5, fsyncs it, renames it and fsyncs the folder. It verifies nothing and knows one flat folder.
 *
 * Usage: node bench/raw-server.ts FOLDER PORT
 */
const smallBytes = 64 * 1024
const readBytes = 512 * 1024
const fsyncAsync = promisify(fsync)
const writeAsync = promisify(write)
const closeAsync = promisify(close)

const [folder = '.', portText = '0'] = process.argv.slice(2)
const folderDescriptor = openSync(folder, 'r')

function pathOf(request: IncomingMessage): string {
  return `${folder}/${(request.url ?? '').slice(1).split('?')[0]?.replaceAll('/', '_')}`
}

// Synchronous calls on a file in the page cache cost 2 to 5 µs, asynchronous ones about 25 µs: a
// floor that used the slow way would flatter the gateway.
function get(request: IncomingMessage, response: ServerResponse): void {
  const descriptor = openSync(pathOf(request), 'r')
  const { size, mtime } = fstatSync(descriptor)
  response.writeHead(200, {
    'Content-Length': size,
    'Content-Type': 'application/octet-stream',
    'Last-Modified': mtime.toUTCString(),
  })
  if (size > smallBytes) {
    createReadStream('', { fd: descriptor, highWaterMark: readBytes }).pipe(response)
    return
  }
  const bytes = Buffer.allocUnsafe(size)
  readSync(descriptor, bytes, 0, size, 0)
  closeSync(descriptor)
  response.end(bytes)
}

async function put(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const temporary = `${folder}/.${randomUUID()}`
  const descriptor = openSync(temporary, 'wx')
  const hash = createHash('md5')
  const isSmall = Number(request.headers['content-length']) <= smallBytes
  let writing: Promise<unknown> = Promise.resolve()
  for await (const chunk of request as AsyncIterable<Buffer>) {
    if (isSmall) {
      writeSync(descriptor, chunk)
      hash.update(chunk)
      continue
    }
    // The next chunk is hashed while the thread pool still writes this one.
    await writing
    writing = writeAsync(descriptor, chunk)
    hash.update(chunk)
  }
  await writing
  await fsyncAsync(descriptor)
  renameSync(temporary, pathOf(request))
  await Promise.all([fsyncAsync(folderDescriptor), closeAsync(descriptor)])
  response.writeHead(200, { ETag: `"${hash.digest('hex')}"`, 'Content-Length': 0 }).end()
}

const server = createServer((request, response) => {
  if (request.method === 'PUT') {
    put(request, response).catch((error: unknown) => response.destroy(error as Error))
    return
  }
  try {
    get(request, response)
  } catch {
    response.writeHead(404, { 'Content-Length': 0 }).end()
  }
})
server.listen(Number(portText), '127.0.0.1')
