/**
 * What pdf.js finds around it in this thread. It comes first, because pdf.js looks at it while it is loaded.
 *
 * Its streams are decompressed into memory as a whole, and 1 MB of a file becomes up to 1 GB: here they have limits.
 */

/** Bytes of one array: a page of A4 with 600 points to the inch and colours has 104 MB. */
const maxArray = 128 * 1024 * 1024

/** Bytes of all large arrays of a page together: a page may have many pictures that are large, and keeps them. */
const maxArrays = 512 * 1024 * 1024

/** Bytes of an array that counts. */
const largeArray = 1024 * 1024

/** Bytes that the streams of a page have together. */
const maxInflated = 128 * 1024 * 1024

const Bytes: Uint8ArrayConstructor = new Proxy(Uint8Array, {
  construct(target, values: unknown[], self): object {
    if (typeof values[0] === 'number') countArray(values[0])
    return Reflect.construct(target, values, self === Bytes ? target : self)
  },
})

let arraysLeft = maxArrays

function countArray(bytes: number): void {
  if (bytes > maxArray) throw new RangeError('too large')
  if (bytes < largeArray) return
  arraysLeft -= bytes
  if (arraysLeft < 0) throw endThread()
}

const Native = DecompressionStream
let left = maxInflated

/** Bytes that are given to the decompressor at once: it decompresses them into memory without being asked for. */
const pieceBytes = 4 * 1024

class CountedStream {
  readonly writable: WritableStream<Uint8Array<ArrayBuffer>>
  readonly readable: ReadableStream<Uint8Array>

  constructor(format: CompressionFormat) {
    const { writable, readable } = new Native(format)
    const writer = writable.getWriter()
    this.readable = readable.pipeThrough(new TransformStream({ transform: countBytes }))
    this.writable = new WritableStream({
      async write(bytes) {
        for (let at = 0; at < bytes.length; at += pieceBytes) {
          await writer.write(bytes.subarray(at, at + pieceBytes))
        }
      },
      close: () => writer.close(),
    })
  }
}

function countBytes(bytes: Uint8Array, sink: TransformStreamDefaultController<Uint8Array>): void {
  left -= bytes.length
  // pdf.js would go on with its own decompressor: this thread ends, and the page sees the file as refused.
  if (left < 0) throw endThread()
  sink.enqueue(bytes)
}

/** For each file again. */
export function resetLimits(): void {
  arraysLeft = maxArrays
  left = maxInflated
}

function endThread(): Error {
  postMessage({ problem: 'refused' })
  close()
  return new RangeError('too large')
}

Object.assign(globalThis, {
  // As a worker of its own, pdf.js would answer the page by itself (`WorkerMessageHandler` in pdf.worker.mjs).
  window: globalThis,
  Uint8Array: Bytes,
  DecompressionStream: CountedStream,
})
